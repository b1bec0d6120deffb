package dev.spillway.adapters.twilio;

import dev.spillway.core.stream.StreamKey;
import java.util.Objects;

/**
 * Where a pool's streams are opened, and the key that signs their addresses.
 *
 * @param streamUrl scheme, host and port of the pool's load balancer, without a trailing slash
 */
public record StreamTarget(String streamUrl, StreamKey key) {
    public StreamTarget {
        Objects.requireNonNull(streamUrl);
        Objects.requireNonNull(key);
    }
}
