package dev.spillway.operator.cost;

import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** {@code ./spillway cost}. */
@Command(
        name = "cost",
        mixinStandardHelpOptions = true,
        description =
                "What a deployment costs in a month, by service, what of it is due without calls, and the first text's"
                        + " comparison from the same inputs.")
public final class CostCommand implements Callable<Integer> {
    @CommandLine.Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    CommandLine.Model.CommandSpec spec;

    @Option(
            names = "--tenants",
            split = ",",
            paramLabel = "MODE=N",
            defaultValue = "on-demand=1,production=0",
            description = "how many of each mode (default: ${DEFAULT-VALUE})")
    @SuppressWarnings("NullAway.Init")
    Map<String, Integer> tenants;

    @Option(
            names = "--calls-per-day",
            paramLabel = "N",
            defaultValue = "10",
            description = "of each tenant (default: ${DEFAULT-VALUE})")
    double callsPerDay;

    @Option(
            names = "--minutes",
            paramLabel = "M",
            defaultValue = "3",
            description = "of each call (default: ${DEFAULT-VALUE})")
    double minutes;

    @Option(
            names = "--idle-windows",
            paramLabel = "N",
            description = "how often a day an on-demand tenant's container is woken and waits out its idle window"
                    + " (default: once for every call; the first text assumes 1)")
    @Nullable
    Double idleWindows;

    @Option(
            names = "--gateway-containers",
            paramLabel = "N",
            defaultValue = "3",
            description = "that always run (default: ${DEFAULT-VALUE})")
    int gatewayContainers;

    @Option(
            names = "--gateway-fee",
            paramLabel = "USD",
            defaultValue = "0.25",
            description = "billed for a call on the gateway (default: ${DEFAULT-VALUE})")
    double gatewayFee;

    @Option(
            names = "--prices",
            paramLabel = "FILE",
            description = "other prices than those that come with this version")
    @Nullable
    Path prices;

    @Override
    public Integer call() {
        for (String mode : tenants.keySet()) {
            if (!mode.equals("on-demand") && !mode.equals("production")) {
                throw new ParameterException(
                        spec.commandLine(), "--tenants: want on-demand=N,production=N, not '" + mode + "'");
            }
        }
        try {
            Demand demand = new Demand(
                    tenants.getOrDefault("on-demand", 0),
                    tenants.getOrDefault("production", 0),
                    callsPerDay,
                    minutes,
                    idleWindows == null ? callsPerDay : idleWindows,
                    Demand.IDLE_MINUTES,
                    gatewayContainers,
                    gatewayFee);
            CostReport.print(
                    demand,
                    prices == null ? Prices.bundled() : Prices.read(prices),
                    spec.commandLine().getOut());
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
        return 0;
    }
}
