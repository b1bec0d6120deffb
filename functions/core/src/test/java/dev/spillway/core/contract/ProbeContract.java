package dev.spillway.core.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.Pool;
import dev.spillway.core.pool.Probe;
import org.junit.jupiter.api.Test;

/** What the reconciler expects of a probe: only the very container that was named can say that it lives. */
public abstract class ProbeContract {
    protected abstract Probe probe();

    /** A pool that runs two containers, {@link #first()} and {@link #second()}, behind one load balancer. */
    protected abstract Pool pool();

    protected abstract ContainerId first();

    protected abstract ContainerId second();

    /** Its process ends. */
    protected abstract void end(ContainerId id);

    /** Its process stands still: connections open, and no answer comes. */
    protected abstract void freeze(ContainerId id);

    private boolean answers(ContainerId id) {
        return probe().answers(pool(), id);
    }

    @Test
    void each_container_answers_for_itself_whichever_the_load_balancer_asks() {
        assertThat(answers(first())).isTrue();
        assertThat(answers(second())).isTrue();
    }

    @Test
    void a_container_that_has_ended_does_not_answer_though_the_other_does() {
        end(second());

        assertThat(answers(second())).isFalse();
        assertThat(answers(first())).isTrue();
    }

    @Test
    void a_container_that_stands_still_does_not_answer() {
        freeze(second());

        assertThat(answers(second())).isFalse();
    }

    @Test
    void nobody_answers_for_a_container_that_the_pool_never_had() {
        assertThat(answers(new ContainerId("nobody"))).isFalse();
    }
}
