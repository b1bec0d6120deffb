package dev.spillway.media.wire;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.ACME_POOL;
import static dev.spillway.core.memory.Sample.NOW;
import static dev.spillway.core.memory.Sample.call;
import static dev.spillway.core.memory.Sample.generation;
import static dev.spillway.core.memory.Sample.job;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.spillway.core.background.Lease;
import dev.spillway.core.call.Answer;
import dev.spillway.core.call.Call;
import dev.spillway.core.call.CallEnding;
import dev.spillway.core.call.CallEnding.FinalStatus;
import dev.spillway.core.call.ClaimKey;
import dev.spillway.core.memory.MemoryTable;
import dev.spillway.core.memory.Operation;
import dev.spillway.core.memory.Operations.Moment;
import dev.spillway.core.outbound.Outbound.Pace;
import dev.spillway.core.pool.Claim;
import dev.spillway.media.rig.HandClock;
import dev.spillway.media.rig.Rig;
import dev.spillway.media.rig.TestStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A call out whose stream lands on another container than the one whose slot it was dialled for. */
class OutboundAdoptionTest {
    private final MemoryTable table = Rig.table();
    private final HandClock clock = new HandClock(NOW);
    private final Rig c1 = Rig.of(table, clock, ACME_POOL, "c1").start();
    private final Rig c2 = Rig.of(table, clock, ACME_POOL, "c2").start();
    private final Lease lease =
            table.lines().lead(ACME_POOL, "dialer", NOW, NOW.plusSeconds(60)).orElseThrow();

    @AfterEach
    void close() {
        c1.close();
        c2.close();
    }

    @Test
    void its_claim_moves_and_the_outbound_count_follows_it_to_the_end() {
        dialled();
        TestStream stream =
                TestStream.open(c2.ws(c1.path(ACME, call(1), answer()))).start(call(1).value(), "acme");
        await().until(() -> stream.marks().contains("persona:acme:greeting"));
        await().until(() -> c1.item().claims().isEmpty());
        assertThat(c2.claim(call(1)).phase()).isEqualTo(Claim.Phase.CONNECTED);
        assertThat(c2.claim(call(1)).job()).isEqualTo(job(1));
        assertThat(claims()).containsExactly(call(1));
        assertThat(mayDialAnother()).as("one of one is out, wherever it talks").isFalse();

        // The call ends by its own container's word, then by Twilio's.
        stream.stop();
        await().until(() -> claims().findAny().isEmpty());
        new CallEnding(table.calls(), table.containers(), table.announcements(), table.conversations(), table.journal())
                .end(ACME, call(1), FinalStatus.COMPLETED, NOW);
        table.lines().leave(ACME_POOL, job(1), generation(1, 1));
        assertThat(mayDialAnother()).isTrue();
    }

    @Test
    void the_container_that_was_dialled_for_names_the_job_in_its_lines() {
        dialled();
        TestStream stream =
                TestStream.open(c1.ws(c1.path(ACME, call(1), answer()))).start(call(1).value(), "acme");
        await().until(() -> stream.marks().contains("persona:acme:greeting"));

        assertThat(table.written("connected"))
                .singleElement()
                .satisfies(entry -> assertThat(entry.fields())
                        .containsEntry("job", job(1).value())
                        .containsEntry("callSid", call(1).value()));
    }

    @Test
    void
            when_the_final_status_comes_first_its_slot_cools_down_where_it_talks_and_is_free_once_that_container_says_so() {
        dialled();
        TestStream stream =
                TestStream.open(c2.ws(c1.path(ACME, call(1), answer()))).start(call(1).value(), "acme");
        await().until(() -> c1.item().claims().isEmpty());
        await().until(() -> stream.marks().contains("persona:acme:greeting"));
        new CallEnding(table.calls(), table.containers(), table.announcements(), table.conversations(), table.journal())
                .end(ACME, call(1), FinalStatus.COMPLETED, NOW);
        assertThat(c2.claim(call(1)).phase()).isEqualTo(Claim.Phase.COOLDOWN);
        c2.heart().beat();
        assertThat(c2.claim(call(1)).phase())
                .as("its container still reports the call")
                .isEqualTo(Claim.Phase.COOLDOWN);
        stream.stop();
        await().until(() -> c2.item().claims().isEmpty());
    }

    @Test
    void when_the_reply_to_the_adopting_claim_is_lost_the_call_still_has_one_claim() {
        dialled();
        table.operations().fail(Operation.CONTAINERS_CLAIM, 1, Moment.AFTER);
        TestStream stream =
                TestStream.open(c2.ws(c1.path(ACME, call(1), answer()))).start(call(1).value(), "acme");
        await().until(() -> stream.marks().contains("persona:acme:greeting"));
        c2.heart().beat();
        await().until(() -> c1.item().claims().isEmpty());
        assertThat(claims()).containsExactly(call(1));
        assertThat(c2.claim(call(1)).phase()).isEqualTo(Claim.Phase.CONNECTED);
    }

    /** Claimed on c1, dialled, answered: what the dialer and the webhook for its TwiML have done. */
    private void dialled() {
        assertThat(table.lines().enter(ACME_POOL, lease, job(1), generation(1, 1), 1, Pace.FRESH))
                .isTrue();
        Claim claim = Claim.reserved(generation(1, 1), ACME, NOW, NOW).dialledFor(job(1));
        table.containers().claim(ACME_POOL, c1.id(), job(1), claim, 6, NOW);
        table.containers().rename(ACME_POOL, c1.id(), job(1), call(1), generation(1, 1));
        table.put(Call.placedDirectly(ACME, call(1), answer()));
    }

    private boolean mayDialAnother() {
        return table.lines().enter(ACME_POOL, lease, job(2), generation(1, 2), 1, Pace.FRESH);
    }

    private Stream<ClaimKey> claims() {
        return Stream.of(c1, c2).flatMap(rig -> rig.item().claims().keySet().stream());
    }

    private Answer.Stream answer() {
        return new Answer.Stream(ACME_POOL, c1.id(), generation(1, 1), NOW.plusSeconds(60), NOW);
    }
}
