package dev.spillway.lambda;

import static org.assertj.core.api.Assertions.assertThat;

import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPResponse;
import dev.spillway.core.contract.Ingestion;
import org.junit.jupiter.api.Test;

/** 6,000 signed status callbacks about 1,500 attempts, duplicated and in any order, over a table in memory. */
class IngestionTest {
    @Test
    void each_attempt_ends_once_and_none_is_lost() throws Exception {
        World world = new World().withGateway();
        Ingestion ingestion = new Ingestion(20261129);
        ingestion.prepare(world.table.calls(), world.table.jobs(), world.table.containers());
        Functions functions = world.functions();
        CallStatusHandler inbound = new CallStatusHandler(functions);
        OutboundStatusHandler outbound = new OutboundStatusHandler(functions);

        ingestion.run(
                callback -> {
                    APIGatewayV2HTTPResponse answer = callback.job() == null
                            ? inbound.handleRequest(request(callback).event(), null)
                            : outbound.handleRequest(request(callback).event(), null);
                    assertThat(answer.getStatusCode()).isEqualTo(204);
                },
                world.table.listing());

        ingestion.check(world.table.listing(), world.table.pools());
        assertThat(world.table.written("job-ended")).hasSize(Ingestion.JOBS);
    }

    private static Request request(Ingestion.Callback callback) {
        Request request = callback.job() == null
                ? Request.of("/twilio/status/acme/1")
                : Request.of("/twilio/outbound-status/acme/" + callback.job() + "/" + callback.generation())
                        .with("Direction", "outbound-api")
                        .with("From", World.NUMBER)
                        .with("To", "+15005550006");
        return request.with("CallSid", callback.call().value()).with("CallStatus", callback.status());
    }
}
