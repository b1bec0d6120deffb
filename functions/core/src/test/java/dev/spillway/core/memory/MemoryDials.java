package dev.spillway.core.memory;

import dev.spillway.core.DependencyException;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.Generation;
import dev.spillway.core.call.JobId;
import dev.spillway.core.outbound.Dials;
import dev.spillway.core.outbound.Job;
import dev.spillway.core.tenant.Tenant;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Twilio, as far as dials go: each is taken, refused, or lost before or after it took effect, as the test says. */
public final class MemoryDials implements Dials {
    /** What becomes of the requests to dial. */
    public enum Weather {
        FINE,
        /** Twilio dials, and its reply is lost. */
        REPLY_LOST,
        /** The request is lost. */
        REQUEST_LOST,
        REFUSED,
        REFUSED_FOR_GOOD
    }

    /** One call that Twilio made. */
    public record Made(CallSid call, JobId job, Generation generation, String from, String to) {}

    private final List<Made> made = new ArrayList<>();
    private final Map<CallSid, String> statuses = new HashMap<>();
    private final List<CallSid> hungUp = new ArrayList<>();
    private Weather weather = Weather.FINE;
    private boolean down;
    private int questions;
    private final List<CallSid> askedAbout = new ArrayList<>();
    private Runnable whileDialling = () -> {};

    /** What happens while the next dials are being asked for, before they are answered. */
    public synchronized void whileDialling(Runnable action) {
        whileDialling = action;
    }

    /** How often Twilio was asked for a call's status, or for its list. */
    public synchronized int questions() {
        return questions;
    }

    /** The calls whose status was asked for. */
    public synchronized List<CallSid> askedAbout() {
        return List.copyOf(askedAbout);
    }

    /** Twilio no longer knows that call. */
    public synchronized void forget(CallSid call) {
        statuses.remove(call);
    }

    public synchronized void weather(Weather next) {
        weather = next;
    }

    /** While true, Twilio answers no question. */
    public synchronized void down(boolean value) {
        down = value;
    }

    public synchronized List<Made> made() {
        return List.copyOf(made);
    }

    public synchronized List<CallSid> hungUp() {
        return List.copyOf(hungUp);
    }

    public synchronized void status(CallSid call, String status) {
        statuses.put(call, status);
    }

    @Override
    public synchronized Result dial(Tenant tenant, Job job, Generation generation, Instant notAfter) {
        whileDialling.run();
        switch (weather) {
            case REQUEST_LOST -> {
                return new Result.Unknown("no answer");
            }
            case REFUSED -> {
                return new Result.Refused("Twilio says 429", false);
            }
            case REFUSED_FOR_GOOD -> {
                return new Result.Refused("Twilio says 400", true);
            }
            case FINE, REPLY_LOST -> {}
        }
        CallSid call = new CallSid("CA%032x".formatted(0xd1a1_0000L + made.size() + 1));
        made.add(new Made(call, job.id(), generation, job.from(), job.to()));
        statuses.put(call, "queued");
        return weather == Weather.FINE ? new Result.Taken(call) : new Result.Unknown("no answer");
    }

    @Override
    public synchronized List<Listed> find(Tenant tenant, String from, String to, Instant since) {
        questions++;
        answers();
        return made.stream()
                .filter(call -> call.from().equals(from) && call.to().equals(to))
                .map(call -> new Listed(call.call(), statuses.getOrDefault(call.call(), "queued")))
                .toList();
    }

    @Override
    public synchronized Optional<String> status(Tenant tenant, CallSid call) {
        questions++;
        askedAbout.add(call);
        answers();
        return Optional.ofNullable(statuses.get(call));
    }

    @Override
    public synchronized boolean hangUp(Tenant tenant, CallSid call) {
        answers();
        return hungUp.add(call);
    }

    private void answers() {
        if (down) {
            throw new DependencyException("twilio", "down", new IllegalStateException("as the test asked"));
        }
    }
}
