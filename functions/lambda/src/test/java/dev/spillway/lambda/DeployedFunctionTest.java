package dev.spillway.lambda;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class DeployedFunctionTest {
    @ParameterizedTest
    @EnumSource
    void each_function_of_the_http_api_is_deployed_under_its_name(HttpFunction http) {
        String handler = http.handler(new World().functions()).getClass().getName() + "::handleRequest";

        assertThat(DeployedFunction.find(http.functionName()))
                .hasValueSatisfying(function -> assertThat(function.handler()).isEqualTo(handler));
    }

    @ParameterizedTest
    @EnumSource
    void lambda_can_make_each_handler(DeployedFunction function) throws Exception {
        Class<?> handler =
                Class.forName(function.handler().substring(0, function.handler().indexOf("::")));

        assertThat(handler.getConstructor()).isNotNull();
    }

    @Test
    void names_and_handlers_differ() {
        assertThat(Arrays.stream(DeployedFunction.values()).map(DeployedFunction::id))
                .doesNotHaveDuplicates();
        assertThat(Arrays.stream(DeployedFunction.values()).map(DeployedFunction::handler))
                .doesNotHaveDuplicates();
    }
}
