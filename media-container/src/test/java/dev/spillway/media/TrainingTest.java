package dev.spillway.media;

import org.junit.jupiter.api.Test;

class TrainingTest {
    @Test
    void the_rehearsal_for_the_cache_goes_from_the_start_over_a_call_to_the_way_out() throws Exception {
        Training.run();
    }
}
