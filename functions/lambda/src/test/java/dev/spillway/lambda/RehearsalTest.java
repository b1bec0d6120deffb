package dev.spillway.lambda;

import static org.assertj.core.api.Assertions.assertThat;

import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPResponse;
import dev.spillway.core.journal.Journal.Entry;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

class RehearsalTest {
    private static final Map<String, String> SETTINGS = Map.of(
            "AWS_REGION", "us-east-1",
            "SPILLWAY_TABLE", "spillway",
            "SPILLWAY_EVENT_BUS", "spillway",
            "SPILLWAY_PUBLIC_URL", "https://api.example.com",
            "SPILLWAY_CLUSTER", "spillway",
            "SPILLWAY_GATEWAY_STREAM_URL", "wss://gateway.example.com",
            "SPILLWAY_STREAM_SECRET", "spillway/stream",
            "SPILLWAY_TENANT_SECRETS", "spillway/tenant/");

    private final List<Entry> lines = new CopyOnWriteArrayList<>();

    @Test
    void a_call_is_answered_from_beginning_to_end() throws Exception {
        APIGatewayV2HTTPResponse answer = new Rehearsal(SETTINGS, lines::add).play();

        assertThat(answer.getStatusCode()).isEqualTo(200);
        assertThat(answer.getBody()).contains("<Stream ").contains("wss://gateway.example.com/");
    }

    @Test
    void a_rehearsal_that_fails_does_not_prevent_the_snapshot() {
        new Rehearsal(Map.of("AWS_REGION", "us-east-1"), lines::add).beforeCheckpoint(org.crac.Core.getGlobalContext());

        assertThat(lines)
                .singleElement()
                .satisfies(line -> assertThat(line.event()).isEqualTo("rehearsal-failed"));
    }
}
