package dev.spillway.lambda;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class TokenRotationTest {
    private static final String NEXT = "abcdefabcdefabcdefabcdefabcdefab";

    private final World world = new World().withGateway();

    @Test
    void while_tokens_rotate_the_current_and_the_next_one_are_right() {
        world.tokens.secrets.put("spillway/tenant/acme", List.of(World.TOKEN, NEXT));

        assertThat(world.fallback(Request.fallback()).getStatusCode()).isEqualTo(200);
        assertThat(world.fallback(Request.fallback().token(NEXT)).getStatusCode())
                .isEqualTo(200);
        assertThat(world.tokens.refreshes).isZero();
    }

    @Test
    void a_token_that_was_rotated_a_moment_ago_is_found() {
        world.tokens.afterRefresh.put("spillway/tenant/acme", List.of(NEXT));

        assertThat(world.fallback(Request.fallback().token(NEXT)).getStatusCode())
                .isEqualTo(200);
        assertThat(world.tokens.refreshes).isEqualTo(1);
    }

    @Test
    void a_wrong_signature_is_checked_again_once() {
        assertThat(world.fallback(Request.fallback().token("x".repeat(32))).getStatusCode())
                .isEqualTo(403);
        assertThat(world.tokens.refreshes).isEqualTo(1);
    }

    @Test
    void the_old_token_is_wrong_once_the_next_one_took_its_place() {
        world.tokens.secrets.put("spillway/tenant/acme", List.of(NEXT));

        assertThat(world.fallback(Request.fallback()).getStatusCode()).isEqualTo(403);
    }
}
