package dev.spillway.adapters.copies;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spillway.core.DependencyException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

class CopiesTest {
    private Instant now = Instant.parse("2026-11-29T09:00:00Z");
    private boolean broken;
    private Optional<String> stored = Optional.of("first");
    private final AtomicInteger readings = new AtomicInteger();
    private final Copies<String, String> copies = new Copies<>(Duration.ofSeconds(60), () -> now, this::read);

    private Optional<String> read(String key) {
        readings.incrementAndGet();
        if (broken) {
            throw new DependencyException("store", "down", new IllegalStateException());
        }
        return stored;
    }

    private void after(int seconds) {
        now = now.plusSeconds(seconds);
    }

    @Test
    void a_copy_serves_for_its_life_and_is_then_read_again() {
        assertThat(copies.get("a")).contains("first");
        stored = Optional.of("second");

        after(59);
        assertThat(copies.get("a")).contains("first");
        after(1);
        assertThat(copies.get("a")).contains("second");
        assertThat(readings).hasValue(2);
    }

    @Test
    void a_copy_of_any_age_serves_while_the_store_is_down_and_the_store_is_not_asked_each_time() {
        copies.get("a");
        broken = true;

        after(3600);
        assertThat(copies.get("a")).contains("first");
        assertThat(copies.get("a")).contains("first");
        assertThat(readings).hasValue(2);

        after(5);
        broken = false;
        stored = Optional.of("second");
        assertThat(copies.get("a")).contains("second");
    }

    @Test
    void without_a_copy_the_failure_is_told() {
        broken = true;

        assertThatThrownBy(() -> copies.get("a")).isInstanceOf(DependencyException.class);
    }

    @Test
    void what_does_not_exist_is_not_remembered() {
        stored = Optional.empty();
        assertThat(copies.get("a")).isEmpty();

        stored = Optional.of("new");
        assertThat(copies.get("a")).contains("new");
    }

    @Test
    void an_expired_copy_is_read_again_and_still_serves_when_that_fails() {
        copies.get("a");
        broken = true;

        copies.expire("a");

        assertThat(copies.get("a")).contains("first");
        assertThat(readings).hasValue(2);
    }

    @Test
    void eight_who_ask_at_once_share_one_reading() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        AtomicInteger asking = new AtomicInteger();
        Copies<String, String> slow = new Copies<>(Duration.ofSeconds(60), () -> now, key -> {
            readings.incrementAndGet();
            try {
                assertThat(release.await(10, TimeUnit.SECONDS)).isTrue();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return Optional.of("shared");
        });
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Optional<String>>> answers = IntStream.range(0, 8)
                    .mapToObj(n -> threads.submit(() -> {
                        asking.incrementAndGet();
                        return slow.get("a");
                    }))
                    .toList();
            Awaitility.await().atMost(Duration.ofSeconds(10)).until(() -> asking.get() == 8 && readings.get() == 1);
            release.countDown();
            for (Future<Optional<String>> answer : answers) {
                assertThat(answer.get(10, TimeUnit.SECONDS)).contains("shared");
            }
        }
        assertThat(readings).hasValue(1);
    }
}
