package dev.spillway.media.wire;

import dev.spillway.core.call.Conversations;
import dev.spillway.core.call.Generation;
import dev.spillway.core.journal.Journal;
import dev.spillway.core.tenant.Persona;
import dev.spillway.core.tenant.Tenant;
import dev.spillway.media.admission.Admission;
import dev.spillway.media.admission.Seat;
import dev.spillway.media.agent.AgentMemory;
import dev.spillway.media.agent.Agents;
import dev.spillway.media.bot.Bots;
import dev.spillway.media.bot.CallMemory;
import dev.spillway.media.call.Patience;
import dev.spillway.media.call.Seating;
import io.netty.channel.Channel;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The streams that are open here, and what all of them need. */
public final class Streams implements OpenStreams {
    private final Admission admission;
    private final Seating seating;
    private final Agents agents;
    private final Bots bots;
    private final Conversations conversations;
    private final Patience patience;
    private final Journal journal;
    private final InstantSource clock;
    private final StreamLimits limits;
    private final Map<Generation, StreamHandler> open = new ConcurrentHashMap<>();
    private final Set<Relay> relays = ConcurrentHashMap.newKeySet();
    private volatile Runnable whenOpened = () -> {};
    private volatile Runnable whenQuieter = () -> {};
    private volatile @Nullable BotWatch watch;

    /** Where embedded agents answer every call. */
    public Streams(
            Admission admission,
            Seating seating,
            Agents agents,
            Patience patience,
            Journal journal,
            InstantSource clock,
            StreamLimits limits) {
        this(admission, seating, agents, Bots.NONE, Conversations.NONE, patience, journal, clock, limits);
    }

    public Streams(
            Admission admission,
            Seating seating,
            Agents agents,
            Bots bots,
            Conversations conversations,
            Patience patience,
            Journal journal,
            InstantSource clock,
            StreamLimits limits) {
        this.admission = admission;
        this.seating = seating;
        this.agents = agents;
        this.bots = bots;
        this.conversations = conversations;
        this.patience = patience;
        this.journal = journal;
        this.clock = clock;
        this.limits = limits;
    }

    /** Tells whoever watches this container's own bot how its calls fare with it. */
    public void watch(BotWatch watching) {
        watch = watching;
    }

    /** Asks to be told whenever a stream is open. */
    public void whenOpened(Runnable told) {
        whenOpened = told;
    }

    /** Asks to be told whenever a call or relay is over and put away. */
    public void whenQuieter(Runnable told) {
        whenQuieter = told;
    }

    @Override
    public void handOff(Generation generation) {
        StreamHandler stream = open.get(generation);
        if (stream != null) {
            stream.leaveAtBoundary("handed over to the tenant's own container");
        }
    }

    @Override
    public void close(Generation generation, String reason) {
        StreamHandler stream = open.get(generation);
        if (stream != null) {
            stream.giveBack(reason);
        }
    }

    /** And asks for the same where streams are relayed to: again, as long as the addressee has not agreed. */
    @Override
    public void leaveAll(String reason) {
        List.copyOf(open.values()).forEach(stream -> stream.leaveAtBoundary(reason));
        List.copyOf(relays).forEach(Relay::leaveAtBoundary);
    }

    /**
     * Lets one call go at the end of its turn.
     *
     * @param addressed the generation in the address that its stream came under; an adopted call has another one here
     * @return false if nobody talks on such a stream here
     */
    boolean leave(Generation addressed, String reason) {
        Optional<StreamHandler> talking = open.values().stream()
                .filter(stream -> stream.isTalkUnder(addressed))
                .findFirst();
        talking.ifPresent(stream -> stream.leaveAtBoundary(reason));
        return talking.isPresent();
    }

    /** Closes every stream, and those that are relayed: Twilio goes on with the redirects. */
    public void closeAll(String reason) {
        List.copyOf(open.values()).forEach(stream -> stream.giveBack(reason));
        List.copyOf(relays).forEach(Relay::close);
    }

    @Override
    public int count() {
        return open.size();
    }

    boolean mayTransferTo(String number) {
        return bots.mayTransferTo(number);
    }

    void opened(Seat seat, StreamHandler stream) {
        open.put(seat.generation(), stream);
        whenOpened.run();
    }

    /** Puts the call away without anyone waiting. */
    void closed(Seat seat, boolean callEnded) {
        open.remove(seat.generation());
        if (admission.closing(seat, clock.instant())) {
            patience.later(() -> {
                seating.putAway(seat, callEnded);
                whenQuieter.run();
            });
        }
    }

    /** Nothing comes on it any more, and whatever closes it may not reach the other side. */
    void fellSilent(Seat seat) {
        patience.later(() -> seating.fellSilent(seat));
    }

    /** The addressee has answered: bytes go both ways from now on. */
    void relayed(Relay relay) {
        relays.add(relay);
    }

    void relayEnded(Relay relay) {
        relays.remove(relay);
        relayEnded();
    }

    /** One that was counted and never began, or is over. */
    void relayEnded() {
        admission.relayEnded();
        whenQuieter.run();
    }

    Admission admission() {
        return admission;
    }

    Seating seating() {
        return seating;
    }

    /** Whoever answers that tenant's calls here. */
    Talk talk(Tenant tenant, Seat seat, Channel front, TwilioMessage.Start start, String startText, Talk.Call call) {
        return bots.of(tenant)
                .<Talk>map(found -> new BotTalk(
                        front,
                        found,
                        bots.limits(),
                        new CallMemory(found.bot().state(), found.own(), front.eventLoop(), conversations, seat, clock),
                        patience,
                        found.own() ? watch : null,
                        startText,
                        call))
                .orElseGet(() -> new AgentTalk(
                        front,
                        start.streamSid(),
                        call,
                        line -> agents.forCall(tenant, line, start.parameters()),
                        memoryOf(tenant, seat),
                        patience));
    }

    /** Who only bridges the time until the tenant's bot has the call keeps nothing: that place is the bot's. */
    private @Nullable AgentMemory memoryOf(Tenant tenant, Seat seat) {
        return tenant.persona().agent().equals(Persona.UPSTREAM) ? null : new AgentMemory(conversations, seat, clock);
    }

    Patience patience() {
        return patience;
    }

    Journal journal() {
        return journal;
    }

    InstantSource clock() {
        return clock;
    }

    StreamLimits limits() {
        return limits;
    }
}
