package dev.spillway.system;

import dev.spillway.core.tenant.TenantId;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** {@code ./spillway console}: the live console of a local stack, or of an account. */
@Command(
        name = "console",
        mixinStandardHelpOptions = true,
        description = {
            "Shows a tenant's pool while it lives, in a browser on this machine, until Ctrl-C: containers with their slots, held"
                    + " calls, decisions with their reasons, attempts by outcome.",
            "It only reads. Its requests to the API are signed with your AWS credentials, which the browser never sees."
        },
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {"0:ended by Ctrl-C", "1:the port is taken", "2:the command line is wrong"})
@SuppressWarnings("NullAway.Init") // set by picocli
final class ConsoleCommand implements Callable<Integer> {
    @Mixin
    ApiOptions api;

    @Option(
            names = "--tenant",
            paramLabel = "ID",
            description = "whose pool is shown first; operators may choose another on the page")
    @Nullable
    String tenant;

    @Option(
            names = "--port",
            defaultValue = "0",
            paramLabel = "N",
            description = "of loopback; 0 takes a free one (default: ${DEFAULT-VALUE})")
    int port;

    @CommandLine.Spec
    CommandLine.Model.CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        if (tenant != null && TenantId.parse(tenant).isEmpty()) {
            throw new ParameterException(spec.commandLine(), "not a tenant's id: '" + tenant + "'");
        }
        if (port < 0 || port > 65_535) {
            throw new ParameterException(spec.commandLine(), "--port must lie between 0 and 65535, not " + port);
        }
        try (ConsoleProxy console = new ConsoleProxy(api.open(), port, tenant)) {
            System.out.println("The console is at " + console.url() + " until Ctrl-C.");
            new CountDownLatch(1).await();
            return 0;
        }
    }
}
