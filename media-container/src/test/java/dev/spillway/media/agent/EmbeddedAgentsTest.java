package dev.spillway.media.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spillway.core.DependencyException;
import dev.spillway.core.tenant.Persona;
import dev.spillway.core.tenant.Tenant;
import dev.spillway.core.tenant.TenantId;
import dev.spillway.core.tenant.Tenants;
import dev.spillway.media.bot.BotLimits;
import dev.spillway.media.bot.Bots;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class EmbeddedAgentsTest {
    private static final TenantId ACME = new TenantId("acme");
    private static final Agents AGENTS = new EmbeddedAgents(Duration.ofMillis(600));

    private final List<byte[]> frames = new ArrayList<>();
    private final List<Utterance> said = new ArrayList<>();

    /** Whatever is to come on it comes at once. */
    private final Line line = new Line() {
        @Override
        public void say(Utterance utterance) {
            said.add(utterance);
        }

        @Override
        public void play(byte[] frame) {
            frames.add(frame);
        }

        @Override
        public void clear() {}

        @Override
        public void transfer(String number) {}

        @Override
        public void hangUp() {}

        @Override
        public Timer after(Duration delay, Runnable action) {
            action.run();
            return () -> {};
        }

        @Override
        public long nanos() {
            return 0;
        }
    };

    @Test
    void the_echo_says_each_frame_back_at_once_and_never_has_a_turn() {
        // given
        Agent echo = AGENTS.forCall(acme("echo"), line);
        byte[] frame = {1, 2, 3};
        // when
        echo.begin(Agent.Opening.GREETING);
        echo.heard(frame);
        // then
        assertThat(frames).containsExactly(frame);
        assertThat(echo.isAtTurnBoundary()).isTrue();
    }

    @Test
    void a_persona_chooses_its_agent_by_name() {
        assertThat(AGENTS.forCall(acme("scripted"), line)).isInstanceOf(ScriptedAgent.class);
        assertThatThrownBy(() -> AGENTS.forCall(acme("oracle"), line))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'oracle'");
    }

    @Test
    void only_a_container_for_load_tests_looks_at_what_a_stream_says_of_the_agent() {
        Map<String, String> parameters = Map.of("rehearsal", "answer=0.5");

        assertThat(answerLength(new EmbeddedAgents(Duration.ZERO, Duration.ZERO, true), parameters))
                .isEqualTo(Duration.ofMillis(500));
        assertThat(answerLength(new EmbeddedAgents(Duration.ZERO, Duration.ZERO, false), parameters))
                .isGreaterThanOrEqualTo(Duration.ofSeconds(1));
    }

    private Duration answerLength(Agents agents, Map<String, String> parameters) {
        Agent agent = agents.forCall(acme("scripted"), line, parameters);
        byte[] loud = new byte[MuLaw.FRAME_BYTES];
        byte[] quiet = new byte[MuLaw.FRAME_BYTES];
        Arrays.fill(quiet, MuLaw.SILENCE);
        for (int i = 0; i < 10; i++) {
            agent.heard(loud);
        }
        for (int i = 0; i < 10; i++) {
            agent.heard(quiet);
        }
        return said.getLast().length();
    }

    @Test
    void a_tenant_whose_agent_is_unknown_counts_as_unreadable() {
        assertThat(answerable("echo").find(ACME)).isPresent();
        assertThatThrownBy(() -> answerable("oracle").find(ACME))
                .isInstanceOf(DependencyException.class)
                .hasMessageContaining("acme")
                .hasMessageContaining("'oracle'")
                .hasMessageContaining("[scripted, echo, upstream]");
    }

    @Test
    void a_tenant_with_a_bot_that_nobody_can_find_counts_as_unreadable_but_on_the_gateway() {
        Bots told =
                new Bots(new Persona.Bot(URI.create("ws://127.0.0.1:8765/ws"), null), BotLimits.STANDARD, List.of());
        assertThat(answerable("upstream", told, false).find(ACME)).isPresent();
        assertThat(answerable("upstream", Bots.NONE, true).find(ACME)).isPresent();
        assertThat(AGENTS.forCall(acme("upstream"), line)).isInstanceOf(ScriptedAgent.class);
        assertThatThrownBy(() -> answerable("upstream", Bots.NONE, false).find(ACME))
                .isInstanceOf(DependencyException.class)
                .hasMessageContaining("SPILLWAY_BOT_URL");
    }

    private static AnswerableTenants answerable(String agent) {
        return answerable(agent, Bots.NONE, false);
    }

    private static AnswerableTenants answerable(String agent, Bots bots, boolean gateway) {
        Tenants all = new Tenants() {
            @Override
            public Optional<Tenant> find(TenantId id) {
                return Optional.of(acme(agent));
            }

            @Override
            public List<TenantId> all() {
                return List.of(ACME);
            }
        };
        return new AnswerableTenants(all, bots, gateway);
    }

    private static Tenant acme(String agent) {
        return new Tenant(
                ACME,
                Set.of("+15005550001"),
                "AC000000000000000000000000000000a1",
                "spillway/tenant/acme",
                new Persona(agent, "alto", "Hello.", "Hello again.", "Goodbye."));
    }
}
