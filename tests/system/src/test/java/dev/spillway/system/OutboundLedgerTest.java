package dev.spillway.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.spillway.system.OutboundDemoResult.Inbound;
import dev.spillway.system.OutboundDemoResult.Outbound;
import dev.spillway.system.OutboundDemoResult.Times;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The verdict of the demo of calls out: 60 jobs, 20 callers, 8 calls out at most, 2 slots reserved. */
class OutboundLedgerTest {
    private static final Times NONE = new Times(0, 0, 0);

    private final OutboundLedger ledger = new OutboundLedger(60, 20, 8, 2);

    /** As the HTTP API has it when all have ended. */
    private static ObjectNode summary() {
        ObjectNode summary = Cli.JSON.createObjectNode().put("offered", 80).put("open", 0);
        summary.putObject("outcomes").put("completed", 66).put("no-answer", 14);
        summary.putObject("inbound").put("offered", 20);
        summary.putObject("outbound").put("offered", 60);
        return summary;
    }

    @BeforeEach
    void aRunInWhichAllWentAsItShould() {
        ledger.callsOut(8);
        ledger.dialled(2, 0);
        ledger.dialled(1, 1); // a caller took of the reserve meanwhile
        look(summary());
    }

    private void look(JsonNode summary) {
        ledger.look(summary, 60, 20, 20);
    }

    private List<String> failures() {
        return ledger.failures(60, 0, 20);
    }

    private int exitCode() {
        return result(failures()).exitCode();
    }

    private static OutboundDemoResult result(List<String> failures) {
        return new OutboundDemoResult(
                1,
                7,
                10,
                8,
                2,
                null,
                90,
                new Outbound(60, 60, 0, 0, Map.of()),
                new Inbound(20, 20, 0, 0),
                0,
                Map.of(),
                Map.of(),
                NONE,
                new OutboundDemoResult.Identity(80, 80, 0),
                1,
                60,
                0,
                8,
                failures);
    }

    @Test
    void a_run_in_which_all_went_as_it_should_ends_with_0() {
        assertThat(failures()).isEmpty();
        assertThat(exitCode()).isZero();
    }

    @Test
    void an_attempt_that_vanished_from_the_terminals_ends_it_with_1() {
        ObjectNode tampered = summary();
        ((ObjectNode) tampered.path("outcomes")).put("completed", 65);
        look(tampered);

        assertThat(failures()).singleElement().asString().startsWith("the identity failed at 1 of 2 looks");
        assertThat(exitCode()).isEqualTo(1);
    }

    @Test
    void one_broken_look_is_not_forgiven_for_a_last_one_that_holds() {
        look(summary().put("open", 1));
        look(summary());

        assertThat(failures()).singleElement().asString().startsWith("the identity failed at 1 of 3 looks");
        assertThat(exitCode()).isEqualTo(1);
    }

    @Test
    void attempts_that_add_up_but_are_fewer_than_were_handed_in_end_it_with_1() {
        ObjectNode tampered = summary().put("offered", 79);
        ((ObjectNode) tampered.path("outcomes")).put("completed", 65);
        ((ObjectNode) tampered.path("inbound")).put("offered", 19);
        ledger.look(tampered, 60, 19, 20);

        assertThat(failures()).singleElement().asString().endsWith("of 80 that were handed in");
        assertThat(exitCode()).isEqualTo(1);
    }

    @Test
    void a_caller_who_heard_an_agent_and_is_in_no_summary_ends_it_with_1() {
        ledger.look(summary(), 60, 21, 21);

        assertThat(exitCode()).isEqualTo(1);
    }

    @Test
    void a_job_that_cannot_be_found_ends_it_with_1() {
        ledger.look(summary(), 59, 20, 20);

        assertThat(exitCode()).isEqualTo(1);
    }

    @Test
    void a_dial_into_the_reserve_ends_it_with_1() {
        ledger.dialled(1, 0);

        assertThat(failures())
                .containsExactly("1 of 3 dials that were looked at went into the slots reserved for callers");
        assertThat(exitCode()).isEqualTo(1);
    }

    @Test
    void a_run_in_which_nobody_looked_at_the_reserve_or_at_the_attempts_shows_nothing() {
        OutboundLedger blind = new OutboundLedger(60, 20, 8, 2);

        assertThat(blind.failures(60, 0, 20)).hasSize(2);
    }

    @Test
    void a_call_out_too_many_a_refused_caller_an_unheard_one_and_a_job_without_an_end_are_each_a_failure() {
        ledger.callsOut(9);

        assertThat(ledger.failures(59, 1, 19))
                .containsExactly(
                        "9 calls out at once, and 8 are allowed",
                        "1 callers were refused",
                        "1 callers heard no agent",
                        "1 jobs did not end in time, and 0 attempts are open");
    }

    @Test
    void the_report_names_each_failure() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();

        OutboundDemoReport.print(
                result(List.of("the identity failed")), new PrintStream(out, true, StandardCharsets.UTF_8));

        assertThat(out.toString(StandardCharsets.UTF_8))
                .contains("FAILED: the identity failed")
                .doesNotContain("All went as it should.");
    }
}
