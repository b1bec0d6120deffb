package dev.spillway.media.wire;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.ACME_POOL;
import static dev.spillway.core.memory.Sample.NOW;
import static dev.spillway.core.memory.Sample.call;
import static dev.spillway.core.memory.Sample.generation;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.spillway.core.DependencyException;
import dev.spillway.core.call.Answer;
import dev.spillway.core.call.Call;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.Conversations;
import dev.spillway.core.memory.MemoryTable;
import dev.spillway.core.memory.Sample;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.tenant.Persona;
import dev.spillway.core.tenant.Tenant;
import dev.spillway.core.tenant.TenantId;
import dev.spillway.media.agent.Agent;
import dev.spillway.media.agent.Agents;
import dev.spillway.media.agent.EmbeddedAgents;
import dev.spillway.media.agent.Utterance;
import dev.spillway.media.rig.HandClock;
import dev.spillway.media.rig.Rig;
import dev.spillway.media.rig.TestStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What an embedded agent knows of a call goes with the call. */
class AgentTalkTest {
    /** The embedded agent, with answers of a tenth of a second. */
    private static final Agents BRIEF = (tenant, line) -> new EmbeddedAgents(Duration.ofMillis(50), Duration.ZERO, true)
            .forCall(tenant, line, Map.of("rehearsal", "answer=0.1"));

    private final MemoryTable table = Rig.table();
    private final HandClock clock = new HandClock(NOW);

    @Test
    void a_conversation_is_kept_after_each_answer_and_goes_on_in_the_next_container() {
        try (Rig gateway = rig(PoolId.GATEWAY, "g1").start();
                Rig acme = rig(ACME_POOL, "c1").start()) {
            TestStream held = open(gateway, 1);
            await().until(() -> held.marks().contains("persona:acme:greeting"));
            ask(held, 1);
            await().until(() -> kept().equals("scripted 1 1"));
            gateway.streams().handOff(generation(1, 1));
            assertThat(held.awaitClosed().code()).isEqualTo(1_000);

            TestStream moved = open(acme, 2);
            await().until(() -> moved.marks().contains("persona:acme:resume"));
            ask(moved, 1);
            await().until(() -> kept().equals("scripted 1 2"));
            assertThat(table.written("conversation-lost")).isEmpty();
            assertThat(table.written("conversation-unsaved")).isEmpty();
        }
    }

    @Test
    void what_the_agent_cannot_read_is_told_and_the_conversation_begins_politely_anew() {
        table.conversations()
                .keep(ACME, call(1), 1, "scripted 9 of a later version".getBytes(StandardCharsets.UTF_8), NOW);
        assertBeginsAnew(table.conversations(), "cannot read");
    }

    @Test
    void a_table_that_does_not_answer_keeps_no_caller_in_silence() {
        CountDownLatch never = new CountDownLatch(1);
        assertBeginsAnew(
                new Broken() {
                    @Override
                    public Optional<byte[]> find(TenantId tenant, CallSid sid) {
                        try {
                            never.await(1, TimeUnit.MINUTES);
                        } catch (InterruptedException e) {
                            Thread.currentThread().interrupt();
                        }
                        return Optional.empty();
                    }
                },
                "did not answer");
    }

    @Test
    void a_table_that_cannot_be_reached_neither_holds_an_answer_nor_a_hand_off_up() {
        try (Rig gateway = rig(PoolId.GATEWAY, "g1").conversations(new Broken()).start()) {
            TestStream held = open(gateway, 1);
            await().until(() -> held.marks().contains("persona:acme:greeting"));
            ask(held, 1);
            await().until(() -> !table.written("conversation-unsaved").isEmpty());
            gateway.streams().handOff(generation(1, 1));
            assertThat(held.awaitClosed().code()).isEqualTo(1_000);
        }
    }

    @Test
    void a_slow_save_does_not_land_after_a_newer_one_and_what_is_newest_is_kept_in_the_end() {
        CountDownLatch release = new CountDownLatch(1);
        List<String> landed = new CopyOnWriteArrayList<>();
        AtomicInteger begun = new AtomicInteger();
        Conversations slow = new Broken() {
            @Override
            public boolean keep(TenantId tenant, CallSid sid, int hop, byte[] state, Instant now) {
                if (begun.incrementAndGet() == 1) {
                    try {
                        release.await(1, TimeUnit.MINUTES);
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                }
                landed.add(new String(state, StandardCharsets.UTF_8));
                return table.conversations().keep(tenant, sid, hop, state, now);
            }
        };
        try (Rig gateway = rig(PoolId.GATEWAY, "g1").conversations(slow).start()) {
            TestStream held = open(gateway, 1);
            await().until(() -> held.marks().contains("persona:acme:greeting"));
            ask(held, 1);
            await().until(() -> !table.written("conversation-unsaved").isEmpty());
            ask(held, 2);
            // when the call leaves while the first save is still on its way
            gateway.streams().handOff(generation(1, 1));
            assertThat(held.awaitClosed().code()).isEqualTo(1_000);
            release.countDown();
            // then
            await().until(() -> landed.size() == 2);
            assertThat(landed).containsExactly("scripted 1 1", "scripted 1 2");
            await().until(() -> kept().equals("scripted 1 2"));
        }
    }

    @Test
    void a_bug_is_not_told_as_a_table_that_cannot_be_reached() {
        assertBeginsAnew(
                new Broken() {
                    @Override
                    public Optional<byte[]> find(TenantId tenant, CallSid sid) {
                        throw new IllegalStateException("a bug");
                    }
                },
                "IllegalStateException");
    }

    @Test
    void whoever_speaks_while_the_call_is_about_to_leave_is_heard_out() {
        AtomicInteger asked = new AtomicInteger();
        Agents talkative = (tenant, line) -> new Quiet() {
            @Override
            public byte[] conversation() {
                return new byte[] {1};
            }

            @Override
            public boolean isAtTurnBoundary() {
                int times = asked.incrementAndGet();
                return times == 1 || times > 5; // somebody begins to speak once it was asked
            }
        };
        try (Rig gateway = rig(PoolId.GATEWAY, "g1")
                .agents(talkative)
                .limits(StreamLimits.standard(Duration.ofMinutes(1)))
                .start()) {
            TestStream held = open(gateway, 1);
            await().until(() -> !table.written("connected").isEmpty());
            gateway.streams().handOff(generation(1, 1));
            assertThat(held.awaitClosed().code()).isEqualTo(1_000);
            assertThat(asked).hasValueGreaterThan(5);
        }
    }

    @Test
    void an_agent_that_keeps_nothing_reads_nothing_of_another() {
        assertThat(new Quiet().recall(new byte[] {1})).isFalse();
        assertThat(new Quiet().recall(new byte[0])).isTrue();
    }

    /** Says nothing and keeps nothing. */
    private static class Quiet implements Agent {
        @Override
        public void begin(Opening opening) {}

        @Override
        public void heard(byte[] muLaw) {}

        @Override
        public void pressed(String digit) {}

        @Override
        public void played(Utterance utterance) {}

        @Override
        public boolean isAtTurnBoundary() {
            return true;
        }

        @Override
        public void end() {}
    }

    @Test
    void who_only_bridges_the_time_for_a_bot_leaves_the_bots_place_empty() {
        Tenant acme = Sample.tenant(ACME);
        Persona own = acme.persona();
        table.put(new Tenant(
                acme.id(),
                acme.numbers(),
                acme.accountSid(),
                acme.secretName(),
                new Persona(Persona.UPSTREAM, own.voice(), own.greeting(), own.resume(), own.farewell()),
                acme.callers()));
        try (Rig gateway = rig(PoolId.GATEWAY, "g1").start()) {
            TestStream held = open(gateway, 1);
            await().until(() -> held.marks().contains("persona:acme:greeting"));
            ask(held, 1);
            gateway.streams().handOff(generation(1, 1));
            assertThat(held.awaitClosed().code()).isEqualTo(1_000);
            assertThat(kept()).isEmpty();
        }
    }

    private void assertBeginsAnew(Conversations conversations, String why) {
        try (Rig acme = rig(ACME_POOL, "c1").conversations(conversations).start()) {
            TestStream moved = open(acme, 2);
            await().until(() -> moved.marks().contains("persona:acme:resume"));
            assertThat(table.written("conversation-lost"))
                    .singleElement()
                    .satisfies(entry -> assertThat(entry.toString()).contains(why));
        }
    }

    private Rig.Builder rig(PoolId pool, String name) {
        return Rig.of(table, clock, pool, name).agents(BRIEF);
    }

    /** The caller says something, and hears the answer to its end. */
    private static void ask(TestStream stream, int answers) {
        stream.frames(30, true).frames(15, false);
        await().until(() ->
                stream.marks().stream().filter("persona:acme:answer"::equals).count() == answers);
    }

    private TestStream open(Rig rig, int hop) {
        PoolId pool = rig.item().pool();
        Answer.Stream answer = new Answer.Stream(pool, rig.id(), generation(hop, 1), NOW.plusSeconds(120), NOW);
        if (hop == 1) {
            table.put(Call.placedDirectly(ACME, call(1), answer));
        } else if (table.calls().find(ACME, call(1)).isEmpty()) {
            table.put(Call.placedDirectly(
                    ACME,
                    call(1),
                    new Answer.Stream(PoolId.GATEWAY, null, generation(1, 1), NOW.plusSeconds(120), NOW)));
            table.calls().connect(ACME, call(1), generation(1, 1));
            table.calls().place(ACME, call(1), 1, answer);
        } else {
            table.calls().place(ACME, call(1), 1, answer);
        }
        table.containers().claim(pool, rig.id(), call(1), Claim.reserved(answer.generation(), ACME, NOW, NOW), 6, NOW);
        return TestStream.open(rig.ws(rig.path(ACME, call(1), answer))).start(call(1).value(), "acme");
    }

    private String kept() {
        return table.conversations()
                .find(ACME, call(1))
                .map(state -> new String(state, StandardCharsets.UTF_8))
                .orElse("");
    }

    /** A table that is away. */
    private static class Broken implements Conversations {
        private static DependencyException away() {
            return new DependencyException("table", "it is away", new IllegalStateException());
        }

        @Override
        public boolean keep(TenantId tenant, CallSid sid, int hop, byte[] state, Instant now) {
            throw away();
        }

        @Override
        public Optional<byte[]> find(TenantId tenant, CallSid sid) {
            throw away();
        }

        @Override
        public void forget(TenantId tenant, CallSid sid, Instant now) {
            throw away();
        }
    }
}
