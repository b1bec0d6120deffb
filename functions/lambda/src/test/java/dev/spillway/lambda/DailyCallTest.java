package dev.spillway.lambda;

import static org.assertj.core.api.Assertions.assertThat;

import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPEvent;
import com.amazonaws.services.lambda.runtime.events.ScheduledEvent;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class DailyCallTest {
    private final World world = new World();

    private static String sent(DeployedFunction function) throws JsonProcessingException {
        return new JsonMapper().writeValueAsString(DailyCall.of(function));
    }

    @ParameterizedTest
    @EnumSource
    void a_function_of_the_http_api_refuses_it_before_it_asks_anybody(HttpFunction http) throws Exception {
        DeployedFunction function = DeployedFunction.find(http.functionName()).orElseThrow();

        int status = http.handler(world.functions())
                .handleRequest(Fixtures.parse(sent(function), APIGatewayV2HTTPEvent.class), null)
                .getStatusCode();

        assertThat(status).isBetween(400, 499);
        assertThat(world.table.operations().log()).isEmpty();
    }

    @Test
    void functions_of_the_bus_ignore_it() throws Exception {
        new OverflowScalerHandler(world.functions())
                .handleRequest(Fixtures.parse(sent(DeployedFunction.OVERFLOW_SCALER), ScheduledEvent.class), null);
        new HandOffHandler(world.functions())
                .handleRequest(Fixtures.parse(sent(DeployedFunction.HAND_OFF), ScheduledEvent.class), null);

        assertThat(world.table.operations().log()).isEmpty();
    }

    @Test
    void the_registration_tells_nobody_of_it() {
        RegistrationHandler handler = new RegistrationHandler(Map.of(
                "AWS_REGION", "us-east-1",
                "AWS_ACCESS_KEY_ID", "none",
                "AWS_SECRET_ACCESS_KEY", "none",
                "SPILLWAY_TABLE", "spillway",
                "SPILLWAY_EVENT_BUS", "spillway",
                "SPILLWAY_PUBLIC_URL", "https://api.example.com",
                "SPILLWAY_STREAM_SECRET", "spillway/stream"));

        // There is no address to answer to: it would fail.
        handler.handleRequest(DailyCall.of(DeployedFunction.REGISTRATION), null);
    }
}
