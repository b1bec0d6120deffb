package dev.spillway.localcloud.twilio;

import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.net.URI;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Twilio on loopback: a call placed here goes the way of a real one, through the number's webhooks, TwiML and media
 * streams; the REST API reads and updates it. Audio runs in real time on one thread for all calls.
 */
public final class TwilioStandIn implements AutoCloseable {
    private static final Duration CLOSE_WAIT = Duration.ofSeconds(2);

    private final Map<String, TwilioAccount> accounts = new ConcurrentHashMap<>();
    private final Map<String, Call> calls = new ConcurrentHashMap<>();
    private final ConcurrentLinkedDeque<Call> order = new ConcurrentLinkedDeque<>();
    private final Set<Thread> sessions = ConcurrentHashMap.newKeySet();
    private final ThreadFactory threads = Thread.ofVirtual().name("call ", 0).factory();
    private final MultiThreadIoEventLoopGroup audio = loop();
    private final MultiThreadIoEventLoopGroup hooks = loop();
    private final AllowedHosts hosts = new AllowedHosts();
    private final AudioTicker ticker = new AudioTicker(audio.next());
    private final Webhooks webhooks;
    private final TwilioRest rest;
    private volatile TwilioSwitches switches;
    private final AtomicInteger lostReplies = new AtomicInteger();
    private final Map<String, Long> nextDial = new HashMap<>();
    private volatile Function<String, Callee> callees =
            number -> new Callee.Answers(Duration.ofSeconds(1), CallScript.ofTurns(1));
    private volatile Consumer<Call> whenPlaced = call -> {};
    private volatile double callsPerSecond = 1;
    private volatile boolean closed;

    /** Its REST API listens on the given loopback port; 0 picks a free one. */
    public TwilioStandIn(int port, TwilioSwitches switches) {
        this.switches = switches;
        this.webhooks = new Webhooks(hooks, hosts, switches.seed());
        this.rest = new TwilioRest(port, this);
        System.err.println("twilio: seed " + switches.seed());
    }

    private static MultiThreadIoEventLoopGroup loop() {
        return new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    }

    /** Adds an account, or replaces the one of that SID; calls that are up keep what they began with. */
    public TwilioStandIn register(TwilioAccount account) {
        accounts.put(account.sid(), account);
        return this;
    }

    Optional<TwilioAccount> account(String sid) {
        return Optional.ofNullable(accounts.get(sid));
    }

    /** Turns switches; what has begun goes on as it began. */
    public void switches(TwilioSwitches value) {
        this.switches = value;
    }

    public TwilioSwitches switches() {
        return switches;
    }

    /** Where the REST API listens. */
    public URI url() {
        return rest.url();
    }

    /** While true, the REST API answers 429 to everything. */
    public void throttle(boolean value) {
        rest.throttle(value);
    }

    /** The remote ports of all connections to the REST API believed to be open. */
    public Set<Integer> connectedPorts() {
        return rest.connectedPorts();
    }

    /** A caller dials a number of an account; the call takes its course. */
    public Call call(String to, String from, CallScript script) {
        if (closed) {
            throw new IllegalStateException("closed");
        }
        for (TwilioAccount account : accounts.values()) {
            Optional<TwilioNumber> number = account.number(to);
            if (number.isPresent()) {
                return place(account, number.get(), from, script);
            }
        }
        throw new IllegalArgumentException("no account has that number; register it first");
    }

    /** What the people who are dialled do, by their number; until told, they answer after a second and take one turn. */
    public void whenDialled(Function<String, Callee> behaviour) {
        this.callees = behaviour;
    }

    /** Told of every call, in either direction, before it takes its course. */
    public void whenPlaced(Consumer<Call> listener) {
        this.whenPlaced = listener;
    }

    /**
     * Which hosts webhooks and streams may reach; until told, all.
     *
     * @param whenRefused told the name of a host that was not reached
     */
    public void allowHosts(Predicate<String> allowed, Consumer<String> whenRefused) {
        hosts.allow(allowed, whenRefused);
    }

    /** How many calls an account may start per second; the others wait in Twilio's queue. */
    public void callsPerSecond(double value) {
        this.callsPerSecond = value;
    }

    /** The next so many calls made by the REST API take effect, and the reply says 503. */
    public void loseDialReplies(int count) {
        lostReplies.set(count);
    }

    boolean losesReply() {
        return lostReplies.getAndUpdate(left -> Math.max(0, left - 1)) > 0;
    }

    /** @param number the caller, with the URLs that the request gave */
    Call dial(TwilioAccount account, TwilioNumber number, String to, Set<String> events) {
        Callee callee = callees.apply(to);
        CallScript script = callee instanceof Callee.Answers answers ? answers.script() : CallScript.ofTurns(1);
        Call call = new Call(Sids.next("CA"), account.sid(), to, number.number(), true);
        return place(call, account, number, script, new OutboundCall(callee, queued(account), events));
    }

    private synchronized Duration queued(TwilioAccount account) {
        long now = System.nanoTime();
        long apart = Math.round(1_000_000_000 / callsPerSecond);
        long at = nextDial.merge(account.sid(), now, (due, ignored) -> Math.max(due, now));
        nextDial.put(account.sid(), at + apart);
        return Duration.ofNanos(Math.max(0, at - now));
    }

    private Call place(TwilioAccount account, TwilioNumber number, String from, CallScript script) {
        return place(new Call(Sids.next("CA"), account.sid(), number.number(), from), account, number, script, null);
    }

    private Call place(
            Call call, TwilioAccount account, TwilioNumber number, CallScript script, @Nullable OutboundCall outbound) {
        calls.put(call.sid(), call);
        order.addFirst(call);
        whenPlaced.accept(call);
        var session = new CallSession(call, script, account, number, webhooks, ticker, this::switches, outbound);
        Thread thread = threads.newThread(() -> {
            try {
                session.run();
            } finally {
                sessions.remove(Thread.currentThread());
            }
        });
        sessions.add(thread);
        if (script.ending() instanceof CallScript.Ending.After(Duration duration)) { // from its arrival, or its making
            ScheduledFuture<?> hangUp = hooks.next().schedule(call::hangUp, duration.toNanos(), TimeUnit.NANOSECONDS);
            call.whenEnded(() -> hangUp.cancel(false));
        }
        thread.start();
        return call;
    }

    /** All calls ever placed, newest first. */
    public List<Call> calls() {
        return List.copyOf(order);
    }

    public Optional<Call> call(String sid) {
        return Optional.ofNullable(calls.get(sid));
    }

    /** How many calls are up. */
    public long callsUp() {
        return order.stream().filter(call -> !call.status().terminal()).count();
    }

    /** How many media streams are open. */
    public long streamsOpen() {
        return order.stream()
                .flatMap(call -> call.history().streams().stream())
                .filter(stream ->
                        stream.openedAt().isPresent() && stream.endedAt().isEmpty())
                .count();
    }

    /** How many calls were cut off by a failure. */
    public long dropped() {
        return order.stream().filter(Call::dropped).count();
    }

    /** Ends every call and waits for that, a few seconds at most. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        rest.close();
        List<Thread> running = List.copyOf(sessions);
        running.forEach(Thread::interrupt);
        long deadline = System.nanoTime() + CLOSE_WAIT.toNanos();
        try {
            for (Thread thread : running) {
                thread.join(Duration.ofNanos(Math.max(1, deadline - System.nanoTime())));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        ticker.close();
        audio.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(CLOSE_WAIT.toMillis());
        hooks.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(CLOSE_WAIT.toMillis());
    }
}
