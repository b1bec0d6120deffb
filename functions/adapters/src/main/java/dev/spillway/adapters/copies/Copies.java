package dev.spillway.adapters.copies;

import dev.spillway.core.DependencyException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * Copies of values that are read somewhere else. A copy is good for a while; all who find it too old share one reading;
 * and when that fails, a copy of any age is better than none. What does not exist is not remembered, so that a stranger
 * who makes up names fills no memory.
 */
public final class Copies<K, V> {
    /** After a failed reading, nobody waits for another one this soon if there is a copy: a guess. */
    private static final Duration AFTER_FAILURE = Duration.ofSeconds(5);

    private final Duration life;
    private final InstantSource clock;
    private final Function<K, Optional<V>> reading;
    private final Map<K, Copy<V>> copies = new ConcurrentHashMap<>();
    private final Map<K, CompletableFuture<Optional<V>>> flights = new ConcurrentHashMap<>();

    private record Copy<V>(V value, Instant goodUntil) {}

    /**
     * @param life how long a copy is good
     * @param reading reads the value; empty when there is surely none; may throw {@link DependencyException}
     */
    public Copies(Duration life, InstantSource clock, Function<K, Optional<V>> reading) {
        this.life = life;
        this.clock = clock;
        this.reading = reading;
    }

    /** @throws DependencyException when the value cannot be read and there is no copy */
    public Optional<V> get(K key) {
        Copy<V> copy = copies.get(key);
        if (copy != null && clock.instant().isBefore(copy.goodUntil())) {
            return Optional.of(copy.value());
        }
        CompletableFuture<Optional<V>> mine = new CompletableFuture<>();
        CompletableFuture<Optional<V>> others = flights.putIfAbsent(key, mine);
        if (others != null) {
            return landed(others);
        }
        try {
            Optional<V> value = read(key);
            mine.complete(value);
            return value;
        } catch (RuntimeException e) {
            mine.completeExceptionally(e);
            throw e;
        } finally {
            flights.remove(key, mine);
        }
    }

    private Optional<V> read(K key) {
        try {
            Optional<V> value = reading.apply(key);
            if (value.isPresent()) {
                copies.put(key, new Copy<>(value.get(), clock.instant().plus(life)));
            } else {
                copies.remove(key);
            }
            return value;
        } catch (DependencyException e) {
            Copy<V> old = copies.get(key);
            if (old == null) {
                throw e;
            }
            copies.put(key, new Copy<>(old.value(), clock.instant().plus(AFTER_FAILURE)));
            return Optional.of(old.value());
        }
    }

    private static <V> Optional<V> landed(CompletableFuture<Optional<V>> flight) {
        try {
            return flight.join();
        } catch (CompletionException e) {
            // Each waiter throws an exception of its own; the shared one is the cause.
            if (e.getCause() instanceof DependencyException shared) {
                throw new DependencyException(shared.dependency(), "a reading shared with others failed", shared);
            }
            throw e;
        }
    }

    /** Makes the copy too old, so that the next reader asks anew; if that fails, the copy still serves. */
    public void expire(K key) {
        copies.computeIfPresent(key, (name, copy) -> new Copy<>(copy.value(), Instant.MIN));
    }
}
