package dev.spillway.adapters;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.core.call.Generation;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RandomGenerationsTest {
    @Test
    void a_thousand_generations_differ_and_carry_their_hop() {
        RandomGenerations generations = new RandomGenerations();
        Set<Generation> seen = new HashSet<>();

        for (int i = 0; i < 1000; i++) {
            seen.add(generations.next(3));
        }

        assertThat(seen).hasSize(1000).allSatisfy(generation -> {
            assertThat(generation.hop()).isEqualTo(3);
            assertThat(Generation.parse(generation.toString())).contains(generation);
        });
    }
}
