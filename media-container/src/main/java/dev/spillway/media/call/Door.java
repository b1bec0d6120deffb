package dev.spillway.media.call;

import dev.spillway.core.DependencyException;
import dev.spillway.core.call.Generation;
import dev.spillway.core.call.Generations;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.Containers;
import dev.spillway.core.stream.StreamAddress;
import dev.spillway.core.stream.StreamAddress.Kind;
import dev.spillway.core.stream.StreamKey;
import dev.spillway.core.tenant.Tenant;
import dev.spillway.media.admission.Admission;
import dev.spillway.media.admission.Admission.Admitted;
import dev.spillway.media.admission.Seat;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Decides what becomes of a stream before it is accepted: served here, passed on, or refused. The address is checked before
 * anything is asked of anyone.
 */
public final class Door {
    private final Self self;
    private final StreamKey key;
    private final Admission admission;
    private final Seating seating;
    private final Containers containers;
    private final Personas personas;
    private final Generations generations;
    private final Patience patience;
    private final SetupBudget budget;
    private final InstantSource clock;
    /** Addresses of the pool's other containers, for when the table cannot be asked. */
    private final Map<ContainerId, String> addresses = new ConcurrentHashMap<>();

    public Door(
            Self self,
            StreamKey key,
            Admission admission,
            Seating seating,
            Containers containers,
            Personas personas,
            Generations generations,
            Patience patience,
            SetupBudget budget,
            InstantSource clock) {
        this.self = self;
        this.key = key;
        this.admission = admission;
        this.seating = seating;
        this.containers = containers;
        this.personas = personas;
        this.generations = generations;
        this.patience = patience;
        this.budget = budget;
        this.clock = clock;
    }

    /** What becomes of a stream. */
    public sealed interface Entrance {
        record Serve(Seat seat, Origin origin, Tenant tenant) implements Entrance {}

        /**
         * Already counted as relay work: whoever gets it must end it.
         *
         * @param path to open at that address, with a MAC of its own
         * @param setup how long the addressee's answer may be waited for
         */
        record Relay(String address, String path, SetupBudget.Begun setup) implements Entrance {}

        /** @param reason fit for the stranger at the other end */
        record Refuse(int status, String reason) implements Entrance {}
    }

    /** Checks form, MAC and expiry; asks nobody, never blocks. */
    public StreamAddress.Parsed check(String path) {
        return StreamAddress.parse(path, key, clock.instant());
    }

    /** The same without the expiry, for what is asked about a stream that was opened. */
    public StreamAddress.Parsed checkOpened(String path) {
        return StreamAddress.parseOpened(path, key);
    }

    /** The answer to an address that did not pass {@link #check}. */
    public static Entrance.Refuse refusal(StreamAddress.Parsed.Invalid invalid) {
        return switch (invalid.reason()) {
            case "expired" -> new Entrance.Refuse(410, invalid.reason());
            case "not signed for this pool" -> new Entrance.Refuse(403, invalid.reason());
            default -> new Entrance.Refuse(401, invalid.reason());
        };
    }

    /** Decides; may block. */
    public Entrance enter(StreamAddress address) {
        SetupBudget.Begun setup = budget.begin(System.nanoTime());
        if (self.pool().tenant().filter(own -> !own.equals(address.tenant())).isPresent()) {
            return new Entrance.Refuse(403, "not a tenant of this pool");
        }
        Optional<Tenant> tenant;
        try {
            tenant = personas.find(address.tenant(), setup.left(System.nanoTime()));
        } catch (DependencyException e) {
            return new Entrance.Refuse(503, "the tenant cannot be read");
        }
        if (tenant.isEmpty()) {
            return new Entrance.Refuse(403, "unknown tenant");
        }
        ContainerId addressee = address.container();
        if (addressee == null) {
            return unclaimed(address, tenant.get(), setup);
        }
        if (addressee.equals(self.id())) {
            return held(address, tenant.get());
        }
        if (address.kind() == Kind.RELAY) {
            seating.alertOfWrongContainer(address.tenant(), address.call(), addressee);
            return new Entrance.Refuse(403, "relayed to the wrong container");
        }
        return other(address, addressee, tenant.get(), setup);
    }

    private Entrance held(StreamAddress address, Tenant tenant) {
        Instant now = clock.instant();
        Admitted admitted =
                admission.openHeld(address.call(), address.tenant(), address.generation(), address.expiry(), now);
        return served(admitted, new Origin.Held(), tenant);
    }

    private Entrance unclaimed(StreamAddress address, Tenant tenant, SetupBudget.Begun setup) {
        if (!self.pool().isGateway()) {
            return new Entrance.Refuse(403, "only the gateway takes streams without a claim");
        }
        Admitted admitted = openUnheld(address, address.generation(), clock.instant());
        if (admitted instanceof Admitted.Fresh fresh
                && !seating.claimUnclaimed(fresh.seat(), setup.forContainer(System.nanoTime()))) {
            admission.ended(fresh.seat(), clock.instant());
            return new Entrance.Refuse(503, "no free slot");
        }
        return served(admitted, new Origin.Unclaimed(), tenant);
    }

    private Entrance other(StreamAddress address, ContainerId addressee, Tenant tenant, SetupBudget.Begun setup) {
        Container container;
        try {
            Optional<Container> found = patience.ask(
                    "table", setup.forContainer(System.nanoTime()), () -> containers.find(self.pool(), addressee));
            if (found.isEmpty()) {
                return new Entrance.Refuse(403, "unknown container");
            }
            container = found.get();
        } catch (DependencyException e) {
            return withoutTable(address, addressee, tenant, setup);
        }
        addresses.put(addressee, container.address());
        Claim claim = container.claims().get(address.call());
        if (claim != null && !claim.generation().equals(address.generation())) {
            claim = null;
        }
        if (claim != null && claim.phase() != Claim.Phase.RESERVED) {
            return new Entrance.Refuse(410, "this stream was opened before");
        }
        boolean alive = container.isAlive(clock.instant());
        if (claim == null && alive) {
            return relay(address, container.address(), setup); // it may know the call while the table does not
        }
        return adopt(address, addressee, claim, tenant, setup)
                .orElseGet(() -> relay(address, container.address(), setup));
    }

    /**
     * Takes the call over, if there is a slot here.
     *
     * @param claim the addressee's for it; null if that is not known
     */
    private Optional<Entrance> adopt(
            StreamAddress address,
            ContainerId addressee,
            @Nullable Claim claim,
            Tenant tenant,
            SetupBudget.Begun setup) {
        Generation here = generations.next(address.generation().hop());
        Admitted admitted = openUnheld(address, here, claim == null ? clock.instant() : claim.arrivedAt());
        if (claim != null && admitted instanceof Admitted.Fresh fresh) {
            fresh.seat().jobIsKnown(claim.job());
        }
        if (admitted instanceof Admitted.Fresh fresh
                && seating.claim(fresh.seat(), setup.forContainer(System.nanoTime()))) {
            return Optional.of(
                    new Entrance.Serve(fresh.seat(), new Origin.Adopted(addressee, address.generation()), tenant));
        }
        if (admitted instanceof Admitted.Fresh lost) {
            admission.ended(lost.seat(), clock.instant());
            admission.forgetOpened(address.generation());
        }
        return admission.wasOpened(address.generation())
                ? Optional.of(new Entrance.Refuse(410, "this stream was opened before"))
                : Optional.empty();
    }

    /** The MAC is good and the caller waits: taken here if there is room, else passed on to where it once was. */
    private Entrance withoutTable(
            StreamAddress address, ContainerId addressee, Tenant tenant, SetupBudget.Begun setup) {
        String known = addresses.get(addressee);
        return adopt(address, addressee, null, tenant, setup)
                .orElseGet(() -> known == null
                        ? new Entrance.Refuse(503, "no free slot, and the table cannot be read")
                        : relay(address, known, setup));
    }

    private Admitted openUnheld(StreamAddress address, Generation generation, Instant arrivedAt) {
        return admission.openUnheld(
                address.call(),
                address.tenant(),
                address.generation(),
                generation,
                arrivedAt,
                address.expiry(),
                clock.instant());
    }

    private Entrance relay(StreamAddress address, String to, SetupBudget.Begun setup) {
        return admission.relayStarted()
                ? new Entrance.Relay(to, address.relayed().path(key), setup)
                : new Entrance.Refuse(503, "drained");
    }

    private static Entrance served(Admitted admitted, Origin origin, Tenant tenant) {
        return switch (admitted) {
            case Admitted.Fresh fresh -> new Entrance.Serve(fresh.seat(), origin, tenant);
            case Admitted.Known known -> new Entrance.Refuse(410, "this stream was opened before");
            case Admitted.Refused refused ->
                new Entrance.Refuse(
                        refused.reason().equals("this stream was opened before") ? 410 : 503, refused.reason());
        };
    }
}
