package dev.spillway.lambda;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.ACME_POOL;
import static dev.spillway.core.memory.Sample.BLOOM;
import static dev.spillway.core.memory.Sample.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPResponse;
import dev.spillway.core.call.Answer;
import dev.spillway.core.call.Outcome;
import dev.spillway.core.event.Announcement.CallOverflowed;
import dev.spillway.core.event.Announcement.Placed;
import dev.spillway.core.memory.Sample;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.PoolId;
import java.util.List;
import org.junit.jupiter.api.Test;

class CallWebhooksTest {
    private final World world = new World().withGateway();

    @Test
    void an_overflowing_call_is_sent_to_the_gateway_and_announced() {
        APIGatewayV2HTTPResponse response = world.fallback(Request.fallback());

        assertThat(response.getStatusCode()).isEqualTo(200);
        assertThat(response.getHeaders()).containsEntry("content-type", "text/xml; charset=utf-8");
        assertThat(response.getBody())
                .contains("wss://gateway.streams.example.com/stream/acme/g1/" + World.call() + "/1.")
                .contains("https://api.example.com/twilio/continue/acme/1#ct=1000")
                .contains("https://api.example.com/twilio/stream-status/acme/1");
        assertThat(world.table.announced())
                .containsExactly(new CallOverflowed(ACME, World.call(), 1, Placed.GATEWAY, NOW));
        assertThat(world.line().event()).isEqualTo("answered");
        assertThat(world.line().fields()).containsEntry("cause", "fallback, Twilio error 11217");
    }

    @Test
    void a_call_whose_pool_has_a_free_slot_goes_there() {
        world.table.put(Sample.ready(ACME_POOL, "a1"));

        APIGatewayV2HTTPResponse response = world.fallback(Request.fallback());

        assertThat(response.getBody()).contains("wss://acme.streams.example.com/stream/acme/a1/");
        assertThat(world.table.announced()).isEmpty();
    }

    @Test
    void the_same_webhook_twice_gets_the_same_answer_one_claim_and_one_attempt() {
        String first = world.fallback(Request.fallback()).getBody();
        String second = world.fallback(Request.fallback()).getBody();

        assertThat(second).isEqualTo(first);
        assertThat(world.table.attempts()).isEqualTo(1);
        assertThat(claims()).isEqualTo(1);
        assertThat(world.table.announced()).hasSize(1);
    }

    @Test
    void a_call_that_continues_moves_to_the_next_hop() {
        world.fallback(Request.fallback());

        APIGatewayV2HTTPResponse response = world.continued(Request.continued("1"));

        assertThat(response.getBody()).contains("/2.").contains("/twilio/continue/acme/2#");
        assertThat(world.table.look(ACME, World.call()).hop()).isEqualTo(2);
        assertThat(claims()).isEqualTo(1);
    }

    @Test
    void a_continue_that_comes_twice_gets_the_same_answer() {
        world.fallback(Request.fallback());

        String first = world.continued(Request.continued("1")).getBody();
        String second = world.continued(Request.continued("1")).getBody();

        assertThat(second).isEqualTo(first);
        assertThat(world.table.look(ACME, World.call()).hop()).isEqualTo(2);
    }

    @Test
    void a_fallback_for_our_own_continue_url_is_a_continue_of_that_hop() {
        world.fallback(Request.fallback());

        world.fallback(Request.fallback()
                .with("ErrorUrl", "https://api.example.com/twilio/continue/acme/1#ct=1000&rt=3000&tt=5000&rc=0"));

        assertThat(world.table.look(ACME, World.call()).hop()).isEqualTo(2);
    }

    @Test
    void a_fallback_for_another_url_is_a_first_placement() {
        String first = world.fallback(Request.fallback()).getBody();

        for (String url : List.of(
                "https://api.example.com/twilio/continue/bloom/1",
                "https://evil.example.com/twilio/continue/acme/1",
                "https://api.example.com/twilio/continue/acme/one",
                "")) {
            assertThat(world.fallback(Request.fallback().with("ErrorUrl", url)).getBody())
                    .isEqualTo(first);
        }
        assertThat(world.table.look(ACME, World.call()).hop()).isEqualTo(1);
    }

    @Test
    void a_finished_call_is_hung_up() {
        world.fallback(Request.fallback());
        world.table.calls().finish(ACME, World.call());

        assertThat(world.continued(Request.continued("1")).getBody())
                .contains("<Hangup")
                .doesNotContain("Stream");
    }

    @Test
    void with_a_full_gateway_the_caller_hears_that_everybody_is_busy() {
        World full = new World();
        full.table.put(Sample.withCalls(Sample.ready(PoolId.GATEWAY, "g1"), BLOOM, 100, 6));

        assertThat(full.fallback(Request.fallback()).getBody()).contains("All of our assistants are currently busy");
        assertThat(full.table.announced()).containsExactly(new CallOverflowed(ACME, World.call(), 1, Placed.BUSY, NOW));
    }

    @Test
    void an_outbound_call_is_known_by_its_from_number() {
        Request outbound = Request.continued("1")
                .with("Direction", "outbound-api")
                .with("From", World.NUMBER)
                .with("To", "+15005550009");

        assertThat(world.continued(outbound).getStatusCode()).isEqualTo(200);
    }

    @Test
    void a_call_that_ended_is_put_away_and_its_slot_is_free() {
        world.fallback(Request.fallback());

        APIGatewayV2HTTPResponse response = status("completed");

        assertThat(response.getStatusCode()).isEqualTo(204);
        assertThat(world.table.look(ACME, World.call()).outcome()).isEqualTo(Outcome.ABANDONED);
        assertThat(claims()).isZero();
    }

    @Test
    void a_caller_who_heard_the_apology_while_the_table_was_away_is_counted_when_he_is_gone() {
        assertThat(status("completed").getStatusCode()).isEqualTo(204);

        assertThat(world.table.look(ACME, World.call()).outcome()).isEqualTo(Outcome.LOST);
    }

    @Test
    void a_call_out_that_nobody_knows_is_no_caller() {
        new CallStatusHandler(world.functions())
                .handleRequest(
                        Request.of("/twilio/status/acme/1")
                                .with("CallStatus", "completed")
                                .with("Direction", "outbound-api")
                                .event(),
                        null);

        assertThat(world.table.calls().find(ACME, World.call())).isEmpty();
    }

    @Test
    void a_call_that_goes_on_is_left_alone() {
        world.fallback(Request.fallback());

        assertThat(status("in-progress").getStatusCode()).isEqualTo(204);
        assertThat(world.table.look(ACME, World.call()).outcome()).isNull();
        assertThat(claims()).isEqualTo(1);
    }

    @Test
    void a_notice_that_the_table_cannot_take_is_answered_with_503() {
        world.table.operations().failAll(operation -> operation.name().startsWith("CALLS_"));

        APIGatewayV2HTTPResponse response = status("completed");

        assertThat(response.getStatusCode()).isEqualTo(503);
        assertThat(world.line().event()).isEqualTo("notice-lost");
    }

    @Test
    void a_stream_error_is_left_to_the_redirect_if_that_comes() {
        world.fallback(Request.fallback());
        world.whileSleeping = () -> world.continued(Request.continued("1"));

        assertThat(streamStatus("stream-error").getStatusCode()).isEqualTo(204);
        assertThat(world.slept).hasSize(1);
        assertThat(world.telephony.sent()).isEmpty();
    }

    @Test
    void without_the_redirect_the_call_is_sent_on_after_a_second_and_a_half() {
        world.fallback(Request.fallback());

        assertThat(streamStatus("stream-error").getStatusCode()).isEqualTo(204);
        assertThat(world.slept.stream().mapToLong(wait -> wait.toMillis()).sum())
                .isEqualTo(1500);
        assertThat(world.telephony.sent()).containsExactly("acme " + World.call() + " 1");
    }

    @Test
    void other_stream_notices_and_late_ones_change_nothing() {
        world.fallback(Request.fallback());
        Answer.Stream answer =
                (Answer.Stream) world.table.look(ACME, World.call()).current().orElseThrow();

        streamStatus("stream-started");
        streamStatus("stream-stopped");
        world.table.calls().connect(ACME, World.call(), answer.generation());
        streamStatus("stream-error");

        assertThat(world.telephony.sent()).isEmpty();
        assertThat(world.slept).isEmpty();
    }

    private APIGatewayV2HTTPResponse status(String callStatus) {
        return new CallStatusHandler(world.functions())
                .handleRequest(
                        Request.of("/twilio/status/acme/1")
                                .with("CallStatus", callStatus)
                                .event(),
                        null);
    }

    private APIGatewayV2HTTPResponse streamStatus(String event) {
        Request request = Request.of("/twilio/stream-status/acme/1")
                .without("From")
                .without("To")
                .without("Direction")
                .with("StreamEvent", event)
                .with("StreamError", "31920");
        return new StreamStatusHandler(world.functions()).handleRequest(request.event(), null);
    }

    private int claims() {
        return world.table.look(PoolId.GATEWAY).containers().stream()
                .map(Container::claims)
                .mapToInt(claims -> claims.size())
                .sum();
    }

    @Test
    void a_call_that_its_agent_gave_away_is_dialled_and_hung_up_afterwards() {
        world.fallback(Request.fallback());
        world.table.calls().place(ACME, World.call(), 1, new Answer.Transfer("+15005550009", NOW));

        String dial = world.continued(Request.continued("1")).getBody();
        String after = world.continued(Request.continued("2").with("DialCallStatus", "completed"))
                .getBody();

        assertThat(dial).contains(">+15005550009</Dial>").contains("/twilio/continue/acme/2#");
        assertThat(after).contains("<Hangup/>");
        assertThat(world.table.written().getLast().fields())
                .containsEntry("cause", "continue of hop 2, transfer completed");
        assertThat(world.table.written()).noneMatch(entry -> entry.toString().contains("500555"));
    }

    @Test
    void a_call_whose_transfer_nobody_answered_goes_on_with_an_agent() {
        world.fallback(Request.fallback());
        world.table.calls().place(ACME, World.call(), 1, new Answer.Transfer("+15005550008", NOW));

        String after = world.continued(Request.continued("2").with("DialCallStatus", "no-answer"))
                .getBody();

        assertThat(after).contains("<Stream").contains("/3.");
    }
}
