package dev.spillway.operator.cost;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.RecordComponent;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class CostTest {
    private static final Prices PRICES = Prices.bundled();

    @Test
    void the_first_texts_comparison_comes_out_of_its_inputs() {
        // given ten calls of three minutes a day
        Comparison text = Comparison.of(10, 3, 0.25, PRICES);

        // then "roughly $29/month" against "40 minutes of compute per day" and "$0.80/month"
        assertThat(text.alwaysOn()).isCloseTo(29, within(0.5));
        assertThat(text.sharedMinutes()).isEqualTo(40);
        assertThat(text.shared()).isCloseTo(0.80, within(0.02));
        // and "$0.50-0.75/day in gateway fees"
        assertThat(text.leastFees() / 30).isEqualTo(0.50);
        assertThat(text.mostFees() / 30).isEqualTo(0.75);
    }

    @Test
    void ten_calls_that_share_no_idle_window_take_130_minutes() {
        Comparison text = Comparison.of(10, 3, 0.25, PRICES);

        assertThat(text.isolatedMinutes()).isEqualTo(130);
        assertThat(text.isolated()).isCloseTo(0.80 * 130 / 40, within(0.05));
    }

    private static Demand demand(int onDemand, int production, double callsPerDay) {
        return new Demand(onDemand, production, callsPerDay, 3, callsPerDay, 10, 3, 0.25);
    }

    @Test
    void without_calls_only_the_floor_is_due_and_the_gateway_is_in_it() {
        Bill idle = Bill.of(demand(1, 0, 0), PRICES);

        assertThat(idle.sum()).isCloseTo(idle.idle(), within(1e-9));
        assertThat(idle.idle()).isGreaterThan(3 * 28.8).isLessThan(200);
        assertThat(idle.fees()).isZero();
    }

    @Test
    void each_further_tenant_on_demand_costs_less_than_a_container_that_always_runs() {
        double one = Bill.of(demand(1, 0, 10), PRICES).sum();
        double two = Bill.of(demand(2, 0, 10), PRICES).sum();

        assertThat(two - one)
                .isLessThan(0.35 * Comparison.of(10, 3, 0.25, PRICES).alwaysOn());
    }

    @Test
    void a_production_tenant_costs_two_containers_whether_anybody_calls_or_not() {
        double none = Bill.of(demand(0, 0, 0), PRICES).idle();
        double one = Bill.of(demand(0, 1, 0), PRICES).idle();

        assertThat(one - none).isCloseTo(2 * (28.8 + 3.65), within(4.0));
    }

    @Test
    void there_are_no_more_idle_windows_than_calls() {
        assertThatThrownBy(() -> new Demand(1, 0, 2, 3, 3, 10, 3, 0.25)).hasMessageContaining("want 0 to 2.0, not 3.0");
    }

    @Test
    void the_command_prints_what_the_text_assumes() {
        StringWriter printed = new StringWriter();
        CommandLine line = new CommandLine(new CostCommand()).setOut(new PrintWriter(printed));

        int code = line.execute("--tenants", "on-demand=9,production=1", "--calls-per-day", "10", "--minutes", "3");

        assertThat(code).isZero();
        assertThat(printed.toString())
                .contains("9 on-demand and 1 production tenants")
                .contains("that assumes that they share one idle window")
                .contains("take 130")
                .contains(PRICES.asOf())
                .contains("gateway, 3 containers");
    }

    private static String report(Consumer<ObjectNode> change) throws Exception {
        JsonMapper json = new JsonMapper();
        ObjectNode file;
        try (InputStream bundled = Prices.class.getResourceAsStream("prices.json")) {
            file = (ObjectNode) json.readTree(bundled);
        }
        ObjectNode usd = (ObjectNode) file.path("usd");
        // A deployment stays far below what is free of the Scheduler.
        usd.put("schedulerFreeMillions", 0);
        change.accept(usd);
        StringWriter printed = new StringWriter();
        CostReport.print(demand(50, 50, 1_000), json.treeToValue(file, Prices.class), new PrintWriter(printed, true));
        return printed.toString();
    }

    @Test
    void every_price_of_the_file_is_used() throws Exception {
        String usual = report(usd -> {});

        for (RecordComponent price : Prices.Usd.class.getRecordComponents()) {
            String name = price.getName();
            assertThat(report(usd -> usd.put(name, 1_000 + usd.path(name).asDouble())))
                    .as(name)
                    .isNotEqualTo(usual);
        }
    }

    @Test
    void the_bill_says_what_it_leaves_out() throws Exception {
        assertThat(report(usd -> {}))
                .contains("Not in it:")
                .contains("Container Insights")
                .contains("traffic out")
                .contains("two would be 65.70 a month");
    }

    @Test
    void a_quiet_tenant_has_six_gauges_and_one_with_calls_ten_metrics_more() {
        assertThat(metrics(1, 0) - metrics(0, 0)).isCloseTo(6 * 0.30 + 0.10, within(0.001));
        assertThat(metrics(1, 10) - metrics(1, 0)).isCloseTo(10 * 0.30, within(0.001));
    }

    private static double metrics(int tenants, double callsPerDay) {
        return Bill.of(demand(tenants, 0, callsPerDay), PRICES).lines().stream()
                .filter(line ->
                        line.service().equals("CloudWatch") && !line.what().startsWith("logs"))
                .mapToDouble(Bill.Line::monthly)
                .sum();
    }

    @Test
    void a_wrong_mode_is_told() {
        StringWriter told = new StringWriter();
        CommandLine line = new CommandLine(new CostCommand()).setErr(new PrintWriter(told));

        assertThat(line.execute("--tenants", "sometimes=1")).isEqualTo(2);
        assertThat(told.toString()).contains("want on-demand=N,production=N, not 'sometimes'");
    }
}
