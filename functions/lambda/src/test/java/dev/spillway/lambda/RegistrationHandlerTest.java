package dev.spillway.lambda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.json.JsonMapper;
import org.junit.jupiter.api.Test;

class RegistrationHandlerTest {
    private static String description() throws Exception {
        return new JsonMapper()
                .readTree(Fixtures.text("cloud-formation/pool.json"))
                .at("/ResourceProperties/Description")
                .asText();
    }

    @Test
    void a_description_says_all_that_a_pool_needs() throws Exception {
        PoolDescription described = PoolDescription.parse(description());

        assertThat(described.service()).isEqualTo("spillway-globex");
        assertThat(described.policy().minimum()).isEqualTo(2);
        assertThat(described.outbound().outboundLimit()).isZero();
        assertThat(described.tenant())
                .hasValueSatisfying(
                        tenant -> assertThat(tenant.persona().voice()).isEqualTo("bass"));
    }

    @Test
    void a_mistake_is_named_by_its_field() throws Exception {
        assertThatThrownBy(() -> PoolDescription.parse(description()
                        .replace("\"minimum\":2", "\"minimum\":\"two\"")
                        .replace("\"minimum\": 2", "\"minimum\": \"two\"")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("want a whole number in 'minimum'");
        assertThatThrownBy(() -> PoolDescription.parse("[")).hasMessageContaining("not JSON");
    }
}
