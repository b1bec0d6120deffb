package dev.spillway.core.stream;

import dev.spillway.core.call.Answer;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.Generation;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.tenant.TenantId;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Where one stream is opened: {@code /stream/{tenant}/{container}/{call}/{generation}/{expiry}/{mac}}, with {@code any}
 * for the container when none could be claimed. Twilio allows no query string, so everything is in the path. The MAC
 * binds all of it to the pool's key; the claim behind it makes it single-use.
 *
 * <p>{@code /relay/…} is the same address passed on by another container of the pool, under a MAC of its own: it is
 * never passed on again.
 *
 * @param container null if any container of the pool may take it
 * @param expiry until when the stream may be opened, to the second
 */
public record StreamAddress(
        Kind kind,
        TenantId tenant,
        @Nullable ContainerId container,
        CallSid call,
        Generation generation,
        Instant expiry) {

    /** How the stream came here. */
    public enum Kind {
        STREAM,
        RELAY
    }

    private static final String ANY = "any";

    public StreamAddress {
        expiry = Instant.ofEpochSecond(expiry.getEpochSecond());
    }

    public static StreamAddress of(TenantId tenant, CallSid call, Answer.Stream answer) {
        return new StreamAddress(Kind.STREAM, tenant, answer.container(), call, answer.generation(), answer.expiry());
    }

    public StreamAddress relayed() {
        return new StreamAddress(Kind.RELAY, tenant, container, call, generation, expiry);
    }

    /** The path with its MAC, starting with a slash. */
    public String path(StreamKey key) {
        String text = text();
        return text + "/" + key.sign(text);
    }

    private String text() {
        return "/" + (kind == Kind.STREAM ? "stream" : "relay") + "/" + tenant + "/"
                + (container == null ? ANY : container) + "/" + call + "/" + generation + "/"
                + expiry.getEpochSecond();
    }

    /** What became of a path. */
    public sealed interface Parsed {
        record Valid(StreamAddress address) implements Parsed {}

        /** @param reason fit for the log and for the closing handshake: says nothing that a guesser could use */
        record Invalid(String reason) implements Parsed {}
    }

    /** Checks form, MAC and expiry, in this order and before anything else is done for the stream. */
    public static Parsed parse(String path, StreamKey key, Instant now) {
        Parsed parsed = parseOpened(path, key);
        return parsed instanceof Parsed.Valid valid && valid.address().expiry().isBefore(now)
                ? new Parsed.Invalid("expired")
                : parsed;
    }

    /** Checks form and MAC only: until when the stream might be opened does not matter to one that was. */
    public static Parsed parseOpened(String path, StreamKey key) {
        String[] parts = path.split("/", -1);
        if (parts.length != 8 || !parts[0].isEmpty() || !(parts[1].equals("stream") || parts[1].equals("relay"))) {
            return new Parsed.Invalid("not a stream address");
        }
        Optional<TenantId> tenant = TenantId.parse(parts[2]);
        Optional<ContainerId> container = ContainerId.parse(parts[3]);
        Optional<CallSid> call = CallSid.parse(parts[4]);
        Optional<Generation> generation = Generation.parse(parts[5]);
        if (tenant.isEmpty()
                || container.isEmpty()
                || call.isEmpty()
                || generation.isEmpty()
                || !parts[6].matches("[0-9]{1,11}")) {
            return new Parsed.Invalid("not a stream address");
        }
        StreamAddress address = new StreamAddress(
                parts[1].equals("stream") ? Kind.STREAM : Kind.RELAY,
                tenant.get(),
                parts[3].equals(ANY) ? null : container.get(),
                call.get(),
                generation.get(),
                Instant.ofEpochSecond(Long.parseLong(parts[6])));
        if (!key.signed(address.text(), parts[7])) {
            return new Parsed.Invalid("not signed for this pool");
        }
        return new Parsed.Valid(address);
    }
}
