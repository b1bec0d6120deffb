package dev.spillway.media.bot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.UnknownHostException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BotAddressTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "127.0.0.1",
                "127.8.9.10",
                "169.254.170.2",
                "169.254.169.254",
                "0.0.0.0",
                "224.0.0.1",
                "[::1]",
                "[::]",
                "[fe80::1]",
                "[febf::1]",
                "[::ffff:127.0.0.1]",
                "[::ffff:169.254.170.2]",
                "[::169.254.170.2]",
                "[64:ff9b::169.254.170.2]",
                "[fd00:ec2::254]"
            })
    void a_personas_bot_is_not_looked_for_where_only_the_task_itself_may_ask(String host) throws Exception {
        assertThatThrownBy(() -> BotAddress.of(host, false))
                .isInstanceOf(UnknownHostException.class)
                .hasMessageContaining("only the task itself");
        assertThat(BotAddress.of(host, true)).isNotNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"10.0.3.4", "192.0.2.7", "169.253.0.1", "[2001:db8::7]", "[fd12::7]", "[64:ff9b::192.0.2.7]"})
    void any_other_place_will_do(String host) throws Exception {
        assertThat(BotAddress.of(host, false)).isNotNull();
    }

    @Test
    void what_a_name_leads_to_counts_and_not_the_name() {
        assertThatThrownBy(() -> BotAddress.of("localhost", false)).isInstanceOf(UnknownHostException.class);
    }
}
