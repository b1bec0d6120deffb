package dev.spillway.system;

import dev.spillway.system.PoolCommand.OrderOptions;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code ./spillway outbound …}: an operator's orders to a tenant's dialer. */
@Command(
        name = "outbound",
        mixinStandardHelpOptions = true,
        description = "Stops a tenant's calls out for a while. What is in flight is not cut, and jobs wait.")
@SuppressWarnings("NullAway.Init") // set by picocli
final class OutboundCommand {
    @CommandLine.Spec
    CommandLine.Model.CommandSpec spec;

    @Command(
            name = "stop",
            mixinStandardHelpOptions = true,
            description = "Nobody is dialled: jobs wait, inside their windows. Calls that were dialled go on.",
            exitCodeListHeading = "Exit codes:%n",
            exitCodeList = {"0:done", "1:the API refused", "2:the command line is wrong, or the API cannot be reached"})
    int stop(@Mixin ApiOptions api, @Mixin OrderOptions order) throws InterruptedException {
        return order.give(api, "stop-outbound", null);
    }

    @Command(
            name = "resume",
            mixinStandardHelpOptions = true,
            description = "Ends the stop before its time; jobs that are due are dialled at once.",
            exitCodeListHeading = "Exit codes:%n",
            exitCodeList = {
                "0:done",
                "1:the API refused, or no stop is in force",
                "2:the command line is wrong, or the API cannot be reached"
            })
    int resume(@Mixin ApiOptions api, @Parameters(paramLabel = "TENANT", description = "whose calls out") String tenant)
            throws InterruptedException {
        return OrderOptions.end(api, OrderOptions.checked(tenant, spec), "outbound");
    }
}
