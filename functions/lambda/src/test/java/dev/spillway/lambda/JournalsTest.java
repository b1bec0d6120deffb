package dev.spillway.lambda;

import static org.assertj.core.api.Assertions.assertThat;

import com.amazonaws.services.lambda.runtime.ClientContext;
import com.amazonaws.services.lambda.runtime.CognitoIdentity;
import com.amazonaws.services.lambda.runtime.Context;
import com.amazonaws.services.lambda.runtime.LambdaLogger;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.spillway.adapters.journal.MetricNames;
import dev.spillway.core.journal.Journal.Entry;
import dev.spillway.core.journal.Journal.Metric;
import dev.spillway.core.pool.Gauges;
import dev.spillway.core.pool.PoolId;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

@ResourceLock(Resources.SYSTEM_OUT)
@ResourceLock(Resources.SYSTEM_ERR)
class JournalsTest {
    private static final Entry OVERFLOW = Entry.of("answered")
            .with("tenant", "acme")
            .with("callSid", World.call())
            .with("reason", "no free slot; from +15005550006 and %2B15005550001")
            .count(Metric.OVERFLOWS)
            .measure(Metric.HOLD_SECONDS, 12.5);

    @Test
    void powertools_writes_one_json_line_for_a_decision_and_one_for_its_metrics() throws IOException {
        Captured captured = capture(() -> new PowertoolsJournal(Map.of()).run(new FakeContext(), () -> {
            write(OVERFLOW);
            return true;
        }));

        assertThat(captured.err()).hasSize(1);
        JsonNode line = new ObjectMapper().readTree(captured.err().getFirst());
        assertThat(line.at("/event").asText()).isEqualTo("answered");
        assertThat(line.at("/message").asText()).isEqualTo("answered");
        assertThat(line.at("/level").asText()).isEqualTo("INFO");
        assertThat(line.at("/tenant").asText()).isEqualTo("acme");
        assertThat(line.at("/callSid").asText()).isEqualTo(World.call().value());
        assertThat(line.at("/function_name").asText()).isEqualTo("fallback");
        assertThat(line.at("/function_request_id").asText()).isEqualTo("request-1");

        assertThat(captured.out()).hasSize(2);
        JsonNode metrics = new ObjectMapper().readTree(captured.out().getFirst());
        assertThat(metrics.at("/Overflows").asDouble()).isEqualTo(1);
        assertThat(metrics.at("/tenant").asText()).isEqualTo("acme");
        assertThat(metrics.at("/service").asText()).isEqualTo("spillway");
        assertThat(metrics.at("/_aws/CloudWatchMetrics/0/Namespace").asText()).isEqualTo("Spillway");
    }

    @Test
    void powertools_measures_in_the_namespace_that_the_environment_says() throws IOException {
        Captured captured = capture(
                () -> new PowertoolsJournal(Map.of(MetricNames.NAMESPACE_SETTING, "Spillway/burst-2")).write(OVERFLOW));

        assertThat(captured.out())
                .isNotEmpty()
                .allSatisfy(line -> assertThat(new ObjectMapper()
                                .readTree(line)
                                .at("/_aws/CloudWatchMetrics/0/Namespace")
                                .asText())
                        .isEqualTo("Spillway/burst-2"));
    }

    @Test
    void the_time_that_calls_were_held_is_one_series_whoever_measured_it() throws IOException {
        Captured captured = capture(() -> write(OVERFLOW));

        JsonNode line = new ObjectMapper().readTree(captured.out().getLast());
        assertThat(line.at("/HoldSeconds").asDouble()).isEqualTo(12.5);
        assertThat(line.at("/service").asText()).isEqualTo("held-calls");
        assertThat(line.at("/tenant").asText()).isEqualTo("acme");
        assertThat(line.has("Overflows")).isFalse();
    }

    @Test
    void so_is_the_time_that_slots_were_free() throws IOException {
        Captured captured = capture(
                () -> write(Entry.of("slot-reused").with("tenant", "acme").measure(Metric.SLOT_REUSE_SECONDS, 0.8)));

        JsonNode line = new ObjectMapper().readTree(captured.out().getLast());
        assertThat(line.at("/SlotReuseSeconds").asDouble()).isEqualTo(0.8);
        assertThat(line.at("/service").asText()).isEqualTo("slots");
    }

    /** An alarm sees nothing of a series that has one dimension more than it asks for, or another value. */
    @Test
    void the_series_that_alarms_watch_have_the_dimensions_that_they_ask_for() throws IOException {
        Captured captured = capture(() -> {
            write(OVERFLOW);
            new PowertoolsJournal(Map.of("POWERTOOLS_SERVICE_NAME", DeployedFunction.GATEWAY_SCALER.id()))
                    .write(Entry.of("gateway-spare").with("slots", 4).measure(Metric.SPARE_SLOTS, 4));
        });

        JsonNode held = new ObjectMapper().readTree(captured.out().get(1));
        assertThat(held.at("/_aws/CloudWatchMetrics/0/Dimensions").toString())
                .isIn("[[\"service\",\"tenant\"]]", "[[\"tenant\",\"service\"]]");
        JsonNode spare = new ObjectMapper().readTree(captured.out().getLast());
        assertThat(spare.at("/_aws/CloudWatchMetrics/0/Dimensions").toString()).isEqualTo("[[\"service\"]]");
        assertThat(spare.at("/service").asText()).isEqualTo("gateway-scaler");
        assertThat(spare.at("/SpareSlots").asDouble()).isEqualTo(4);
    }

    @Test
    void a_line_from_a_flow_s_own_thread_names_the_request_too() throws IOException {
        Captured captured = capture(() -> {
            PowertoolsJournal journal = new PowertoolsJournal(Map.of());
            journal.run(new FakeContext(), () -> {
                try {
                    Thread.ofVirtual()
                            .start(() -> journal.write(Entry.of("answered")))
                            .join();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                return true;
            });
        });

        JsonNode line = new ObjectMapper().readTree(captured.err().getFirst());
        assertThat(line.at("/function_request_id").asText()).isEqualTo("request-1");
    }

    @Test
    void a_decision_without_metrics_writes_no_metrics() {
        Captured captured = capture(() -> write(Entry.of("ended")));

        assertThat(captured.out()).isEmpty();
        assertThat(captured.err()).hasSize(1);
    }

    @Test
    void a_pool_s_gauges_are_one_line_of_metrics_with_the_pool_as_tenant() throws IOException {
        Captured captured = capture(() -> write(new Gauges(7, 2, 1, 18, 8, 120).entry(PoolId.GATEWAY)));

        JsonNode line = new ObjectMapper().readTree(captured.out().getFirst());
        assertThat(line.at("/tenant").asText()).isEqualTo("gateway");
        assertThat(line.at("/LiveSlots").asDouble()).isEqualTo(7);
        assertThat(line.at("/ReservedSlots").asDouble()).isEqualTo(2);
        assertThat(line.at("/CooldownSlots").asDouble()).isEqualTo(1);
        assertThat(line.at("/ReadySlots").asDouble()).isEqualTo(18);
        assertThat(line.at("/UsableSlots").asDouble()).isEqualTo(8);
        assertThat(line.at("/SlotCeiling").asDouble()).isEqualTo(120);
    }

    @Test
    void waits_and_slot_reuse_are_seconds() {
        Captured captured = capture(
                () -> write(Entry.of("dial").with("tenant", "acme").measure(Metric.OUTBOUND_WAIT_SECONDS, 12.5)));

        assertThat(captured.out().getFirst())
                .contains("\"OutboundWaitSeconds\":12.5")
                .contains("\"Unit\":\"Seconds\"");
    }

    @Test
    void no_phone_number_ever_stands_in_a_line() {
        Captured captured = capture(() -> write(OVERFLOW));

        assertThat(captured.err().toString()).contains("+15*****", "%2B15*****").doesNotContain("5005550");
    }

    @Test
    void metrics_have_the_names_of_their_trade() {
        assertThat(MetricNames.of(Metric.OVERFLOWS)).isEqualTo("Overflows");
        assertThat(MetricNames.of(Metric.HAND_OFFS)).isEqualTo("HandOffs");
        assertThat(MetricNames.of(Metric.ZOMBIES_FOUND)).isEqualTo("ZombiesFound");
    }

    private static void write(Entry entry) {
        new PowertoolsJournal(Map.of()).write(entry);
    }

    private record Captured(List<String> out, List<String> err) {}

    private static Captured capture(Runnable work) {
        PrintStream out = System.out;
        PrintStream err = System.err;
        ByteArrayOutputStream outBytes = new ByteArrayOutputStream();
        ByteArrayOutputStream errBytes = new ByteArrayOutputStream();
        System.setOut(new PrintStream(outBytes, true, StandardCharsets.UTF_8));
        System.setErr(new PrintStream(errBytes, true, StandardCharsets.UTF_8));
        try {
            work.run();
        } finally {
            System.setOut(out);
            System.setErr(err);
        }
        return new Captured(
                outBytes.toString(StandardCharsets.UTF_8).lines().toList(),
                errBytes.toString(StandardCharsets.UTF_8).lines().toList());
    }

    private static final class FakeContext implements Context {
        @Override
        public String getAwsRequestId() {
            return "request-1";
        }

        @Override
        public String getLogGroupName() {
            return "group";
        }

        @Override
        public String getLogStreamName() {
            return "stream";
        }

        @Override
        public String getFunctionName() {
            return "fallback";
        }

        @Override
        public String getFunctionVersion() {
            return "1";
        }

        @Override
        public String getInvokedFunctionArn() {
            return "arn:aws:lambda:us-east-1:123456789012:function:fallback";
        }

        @Override
        public @Nullable CognitoIdentity getIdentity() {
            return null;
        }

        @Override
        public @Nullable ClientContext getClientContext() {
            return null;
        }

        @Override
        public int getRemainingTimeInMillis() {
            return 10_000;
        }

        @Override
        public int getMemoryLimitInMB() {
            return 512;
        }

        @Override
        public @Nullable LambdaLogger getLogger() {
            return null;
        }
    }
}
