package dev.spillway.simulation.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.spillway.simulation.lab.DotLabels.Label;
import java.util.List;
import org.junit.jupiter.api.Test;

class DotLabelsTest {
    @Test
    void dots_at_one_place_share_a_name_and_neighbours_names_do_not_touch() {
        DotLabels labels = new DotLabels(900);
        labels.add(100, 200, "plus-one / idle");
        labels.add(100.5, 200, "demand / idle");
        labels.add(120, 201, "ahead / idle");
        labels.add(880, 200, "knative");

        List<Label> placed = labels.placed();

        assertThat(placed)
                .extracting(Label::text)
                .containsExactly("plus-one / idle, demand / idle", "ahead / idle", "knative");
        assertThat(placed.getFirst().y()).isNotCloseTo(placed.get(1).y(), within(11.0));
        assertThat(placed.getLast().isLeft()).isTrue();
    }
}
