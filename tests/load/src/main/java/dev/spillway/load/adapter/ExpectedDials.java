package dev.spillway.load.adapter;

import dev.spillway.localcloud.twilio.Call;
import dev.spillway.localcloud.twilio.Callee;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;

/**
 * The people who are to be called. Each is dialled once: the next dial of the same number is the next one's of those who
 * wait at it, and a dial without anybody left is nobody's.
 */
final class ExpectedDials {
    private final Map<String, Queue<Person>> waiting = new HashMap<>();
    private final Map<String, Queue<Person>> ringing = new HashMap<>();

    /** Somebody who is to be called. */
    static final class Person {
        private final String number;
        private final Callee callee;
        private final CompletableFuture<Call> dialled = new CompletableFuture<>();

        private Person(String number, Callee callee) {
            this.number = number;
            this.callee = callee;
        }

        Callee callee() {
            return callee;
        }

        /** The call, once it is there. */
        CompletableFuture<Call> dialled() {
            return dialled;
        }
    }

    synchronized Person expect(String number, Callee callee) {
        Person person = new Person(number, callee);
        waiting.computeIfAbsent(number, any -> new ArrayDeque<>()).add(person);
        return person;
    }

    /** Who is rung up by a dial of that number; empty if nobody expects one. */
    synchronized Optional<Person> ring(String number) {
        Queue<Person> here = waiting.get(number);
        Person next = here == null ? null : here.poll();
        if (next == null) {
            return Optional.empty();
        }
        tidy(waiting, number);
        ringing.computeIfAbsent(number, any -> new ArrayDeque<>()).add(next);
        return Optional.of(next);
    }

    /** The dial has become a call. */
    void placed(Call call) {
        Person next;
        synchronized (this) {
            Queue<Person> here = ringing.get(call.to());
            next = here == null ? null : here.poll();
            tidy(ringing, call.to());
        }
        if (next != null) {
            next.dialled.complete(call);
        }
    }

    /** Whoever dials that person from now on was not asked to. */
    synchronized void forget(Person person) {
        Queue<Person> here = waiting.get(person.number);
        if (here != null) {
            here.remove(person);
            tidy(waiting, person.number);
        }
    }

    private static void tidy(Map<String, Queue<Person>> queues, String number) {
        Queue<Person> left = queues.get(number);
        if (left != null && left.isEmpty()) {
            queues.remove(number);
        }
    }

    synchronized int count() {
        return waiting.values().stream().mapToInt(Queue::size).sum();
    }
}
