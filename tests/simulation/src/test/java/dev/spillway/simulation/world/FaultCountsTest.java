package dev.spillway.simulation.world;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class FaultCountsTest {
    @Test
    void faults_are_counted_by_what_they_happened_to() {
        FaultCounts counts = new FaultCounts();
        for (String name : List.of(
                "AFTER hand-off on event ready acme-01 #3",
                "AFTER dialer on acme in minute 2 #1",
                "DIE_BEFORE fallback of 000001 after hop 0 flow #2",
                "late again event freed acme-01",
                "late event freed acme-01",
                "lost task event acme-01",
                "doubled status callback call 3",
                "launch of acme-02",
                "endless launch of acme-03",
                "blocked acme-01 #4",
                "never made dial 100001 no. 1")) {
            counts.add(name);
        }

        assertThat(counts.lines())
                .containsExactly(
                        "ECS agent: 1 refused protection",
                        "dials: 1 never made",
                        "events: 2 late",
                        "launches: 1 endless, 1 failed",
                        "questions to ports: 2 AFTER, 1 DIE_BEFORE",
                        "status callbacks: 1 doubled",
                        "task events: 1 lost");
    }
}
