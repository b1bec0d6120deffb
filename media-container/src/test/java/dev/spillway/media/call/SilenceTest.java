package dev.spillway.media.call;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.ACME_POOL;
import static dev.spillway.core.memory.Sample.NOW;
import static dev.spillway.core.memory.Sample.call;
import static dev.spillway.core.memory.Sample.generation;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.core.event.Announcement;
import dev.spillway.core.event.Announcement.StreamSilent;
import dev.spillway.core.event.Announcements;
import dev.spillway.core.memory.MemoryTable;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.media.admission.Admission;
import dev.spillway.media.admission.Admission.Admitted;
import dev.spillway.media.admission.Seat;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Nobody but the container that closes a silent stream knows of it, so it says so until the bus takes it. */
class SilenceTest {
    private static final StreamSilent SILENT = new StreamSilent(ACME, call(1), 2, new ContainerId("c1"), NOW);

    private final MemoryTable table = new MemoryTable();
    private final Admission admission = new Admission(6, NOW);
    private final List<Duration> pauses = new ArrayList<>();
    private final List<Announcement> told = new ArrayList<>();
    private final Patience patience = new Patience(Duration.ofSeconds(1)) {
        @Override
        public boolean pause(Duration duration) {
            pauses.add(duration);
            return true;
        }
    };

    @AfterEach
    void close() {
        patience.close();
    }

    @Test
    void it_is_told_once_when_the_bus_takes_it() {
        seating(told::add).fellSilent(seat());

        assertThat(told).containsExactly(SILENT);
        assertThat(pauses).isEmpty();
    }

    @Test
    void it_is_told_again_after_three_seconds_when_the_bus_does_not_take_it() {
        seating(announcement -> {
                    told.add(announcement);
                    return told.size() == 2;
                })
                .fellSilent(seat());

        assertThat(told).containsExactly(SILENT, SILENT);
        assertThat(pauses).containsExactly(Duration.ofSeconds(3));
        assertThat(table.written("silence-untold")).isEmpty();
    }

    @Test
    void after_four_tries_it_is_noted_that_nobody_knows() {
        seating(announcement -> !told.add(announcement)).fellSilent(seat());

        assertThat(told).hasSize(4);
        assertThat(table.written("silence-untold")).hasSize(1);
    }

    private Seating seating(Announcements announcements) {
        Self self = new Self(ACME_POOL, new ContainerId("c1"), "boot", "10.0.0.1:8080", "r1", NOW);
        return new Seating(
                self,
                admission,
                table.containers(),
                table.calls(),
                announcements,
                table.journal(),
                () -> NOW,
                patience);
    }

    private Seat seat() {
        admission.open();
        Admitted admitted =
                admission.openUnheld(call(1), ACME, generation(2, 1), generation(2, 1), NOW, NOW.plusSeconds(60), NOW);
        return ((Admitted.Fresh) admitted).seat();
    }
}
