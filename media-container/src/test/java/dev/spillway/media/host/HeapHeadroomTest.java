package dev.spillway.media.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class HeapHeadroomTest {
    private static final long MAX = Runtime.getRuntime().maxMemory();

    private final AtomicInteger collections = new AtomicInteger();
    private final HeapHeadroom headroom = new HeapHeadroom(1_000, Runnable::run, collections::incrementAndGet);

    @Test
    void what_the_last_collection_left_behind_is_what_is_used() {
        assertThat(headroom.getAsLong()).isBetween(1L, MAX);
        headroom.collected(MAX - 5_000, false);
        assertThat(headroom.getAsLong()).isLessThanOrEqualTo(MAX);
        headroom.collected(MAX / 2, true);
        assertThat(headroom.getAsLong()).isGreaterThan(0);
        assertThat(collections).hasValue(0);
    }

    @Test
    void a_lesser_collection_that_leaves_too_little_asks_for_a_full_one_once_a_minute_at_most() {
        headroom.collected(MAX - 999, false);
        headroom.collected(MAX - 998, false);
        assertThat(collections).hasValue(1);
    }

    @Test
    void a_full_collection_is_believed() {
        headroom.collected(MAX - 10, true);
        assertThat(collections).hasValue(0);
    }

    @Test
    void collections_of_this_process_are_heard() {
        HeapHeadroom own = new HeapHeadroom(0, Runnable::run, collections::incrementAndGet);
        own.listen();
        byte[][] held = {new byte[64 << 20]};
        System.gc();
        await().until(() -> own.getAsLong() <= MAX - held[0].length);
        held[0] = new byte[0];
        System.gc();
        await().until(() -> own.getAsLong() > MAX - (64 << 20));
    }
}
