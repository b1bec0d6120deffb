package dev.spillway.system;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.spillway.core.tenant.TenantId;
import java.time.DateTimeException;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** {@code ./spillway pool …}: an operator's orders to a tenant's pool. */
@Command(
        name = "pool",
        mixinStandardHelpOptions = true,
        description = {
            "Orders a tenant's pool to behave otherwise for a while. Every order needs a reason, is logged with your name and"
                    + " ends by itself. A new order takes the place of the one in force.",
            "GET /pools/TENANT shows the order in force, GET /pools/TENANT/orders those of the last 90 days."
        })
@SuppressWarnings("NullAway.Init") // set by picocli
final class PoolCommand {
    private static final String CODES = "Exit codes:%n";

    @CommandLine.Spec
    CommandLine.Model.CommandSpec spec;

    @Command(
            name = "pause",
            mixinStandardHelpOptions = true,
            description = "No scaling decision either way; calls are taken as before.",
            exitCodeListHeading = CODES,
            exitCodeList = {"0:done", "1:the API refused", "2:the command line is wrong, or the API cannot be reached"})
    int pause(@Mixin ApiOptions api, @Mixin OrderOptions order) throws InterruptedException {
        return order.give(api, "pause", null);
    }

    @Command(
            name = "pin",
            mixinStandardHelpOptions = true,
            description = "That many containers are kept, within the pool's maximum, and none is retired.",
            exitCodeListHeading = CODES,
            exitCodeList = {"0:done", "1:the API refused", "2:the command line is wrong, or the API cannot be reached"})
    int pin(
            @Mixin ApiOptions api,
            @Mixin OrderOptions order,
            @Option(names = "--containers", required = true, paramLabel = "N", description = "how many") int containers)
            throws InterruptedException {
        return order.give(api, "pin", containers);
    }

    @Command(
            name = "drain",
            mixinStandardHelpOptions = true,
            description =
                    "Every container is drained: calls finish, new ones go to the gateway, and nothing is started.",
            exitCodeListHeading = CODES,
            exitCodeList = {"0:done", "1:the API refused", "2:the command line is wrong, or the API cannot be reached"})
    int drain(@Mixin ApiOptions api, @Mixin OrderOptions order) throws InterruptedException {
        return order.give(api, "drain", null);
    }

    @Command(
            name = "to-gateway",
            mixinStandardHelpOptions = true,
            description = "New calls go to the gateway and stay there; the containers stay, with the calls they have.",
            exitCodeListHeading = CODES,
            exitCodeList = {"0:done", "1:the API refused", "2:the command line is wrong, or the API cannot be reached"})
    int toGateway(@Mixin ApiOptions api, @Mixin OrderOptions order) throws InterruptedException {
        return order.give(api, "to-gateway", null);
    }

    @Command(
            name = "resume",
            mixinStandardHelpOptions = true,
            description = "Ends the order in force before its time.",
            exitCodeListHeading = CODES,
            exitCodeList = {
                "0:done",
                "1:the API refused, or no order is in force",
                "2:the command line is wrong, or the API cannot be reached"
            })
    int resume(@Mixin ApiOptions api, @Parameters(paramLabel = "TENANT", description = "whose pool") String tenant)
            throws InterruptedException {
        return OrderOptions.end(api, OrderOptions.checked(tenant, spec), "pool");
    }

    /** What every order says. */
    static final class OrderOptions {
        @Parameters(paramLabel = "TENANT", description = "whose pool")
        String tenant;

        @Option(
                names = "--for",
                defaultValue = "1h",
                paramLabel = "TIME",
                description = "how long it lasts, such as 90s, 30m or 2h; 24h at most (default: ${DEFAULT-VALUE})")
        String time;

        @Option(
                names = "--reason",
                required = true,
                paramLabel = "TEXT",
                description = "why, for those who wonder later: 200 characters at most")
        String reason;

        @CommandLine.Spec(CommandLine.Spec.Target.MIXEE)
        CommandLine.Model.CommandSpec spec;

        int give(ApiOptions api, String order, @Nullable Integer containers) throws InterruptedException {
            ObjectNode body = Cli.JSON.createObjectNode();
            body.put("order", order).put("for", duration().toString()).put("reason", reason);
            if (containers != null) {
                body.put("containers", containers);
            }
            String path = "/pools/" + checked(tenant, spec) + "/orders";
            return OrderAnswer.of(api, "POST", path, body.toString(), "ordered for " + tenant);
        }

        static int end(ApiOptions api, String tenant, String subject) throws InterruptedException {
            return OrderAnswer.of(
                    api, "DELETE", "/pools/" + tenant + "/orders/" + subject, null, "ended for " + tenant);
        }

        /** Only what can be a tenant's id becomes a part of a path. */
        static String checked(String tenant, CommandLine.Model.CommandSpec spec) {
            if (TenantId.parse(tenant).isEmpty()) {
                throw new ParameterException(spec.commandLine(), "TENANT is not a tenant's id");
            }
            return tenant;
        }

        private Duration duration() {
            try {
                return Duration.parse("PT" + time.toUpperCase(Locale.ROOT));
            } catch (DateTimeException e) {
                throw new ParameterException(spec.commandLine(), "--for wants a time such as 90s, 30m or 2h", e);
            }
        }
    }
}
