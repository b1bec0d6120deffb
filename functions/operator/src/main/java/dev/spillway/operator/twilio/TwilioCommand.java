package dev.spillway.operator.twilio;

import dev.spillway.adapters.aws.AwsClients;
import dev.spillway.operator.Account;
import dev.spillway.operator.DeploymentFiles;
import dev.spillway.operator.DeploymentFiles.TenantEntry;
import dev.spillway.operator.twilio.NumberPlan.Step;
import dev.spillway.operator.twilio.NumberPlanning.Planned;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code ./spillway twilio plan} and {@code apply}. */
@Command(
        name = "twilio",
        mixinStandardHelpOptions = true,
        subcommands = {TwilioCommand.Plan.class, TwilioCommand.Apply.class},
        description = "Compares the tenants' numbers at Twilio with what the deployment needs, and sets them.")
public final class TwilioCommand {
    @Command(
            name = "plan",
            mixinStandardHelpOptions = true,
            description = "Prints what would change. Exit code 3: something would.")
    static final class Plan implements Callable<Integer> {
        @Mixin
        Account account = new Account();

        @Option(
                names = "--twilio-url",
                defaultValue = "https://api.twilio.com",
                description = "Twilio's REST API (default: ${DEFAULT-VALUE})")
        @SuppressWarnings("NullAway.Init") // set by picocli
        String twilioUrl;

        @CommandLine.Spec
        @SuppressWarnings("NullAway.Init")
        CommandLine.Model.CommandSpec spec;

        @Override
        public Integer call() {
            return run(account, twilioUrl, false, spec.commandLine().getOut());
        }
    }

    @Command(
            name = "apply",
            mixinStandardHelpOptions = true,
            description =
                    "Sets the numbers. Without --yes it only prints, as plan does. Exit code 3: not all are as they should be.")
    static final class Apply implements Callable<Integer> {
        @Mixin
        Account account = new Account();

        @Option(
                names = "--twilio-url",
                defaultValue = "https://api.twilio.com",
                description = "Twilio's REST API (default: ${DEFAULT-VALUE})")
        @SuppressWarnings("NullAway.Init") // set by picocli
        String twilioUrl;

        @Option(names = "--yes", description = "really set them")
        boolean yes;

        @CommandLine.Spec
        @SuppressWarnings("NullAway.Init")
        CommandLine.Model.CommandSpec spec;

        @Override
        public Integer call() {
            return run(account, twilioUrl, yes, spec.commandLine().getOut());
        }
    }

    private static int run(Account account, String twilioUrl, boolean isReal, PrintWriter out) {
        DeploymentFiles files = account.files();
        boolean isDone = true;
        try (AwsClients clients = account.clients(files);
                NumberPlanning numbers = new NumberPlanning(files, clients, twilioUrl)) {
            for (TenantEntry tenant : files.tenants()) {
                switch (numbers.plan(tenant)) {
                    case Planned.Unknown unknown -> {
                        out.println(unknown.tenant() + ": cannot be looked at: " + unknown.reason());
                        isDone = false;
                    }
                    case Planned.Known known -> {
                        for (Step step : known.plan().steps()) {
                            isDone &= take(
                                    known.tenant() + " " + NumberSettings.masked(step.number()),
                                    step,
                                    isReal ? change -> numbers.set(tenant, change) : null,
                                    out);
                        }
                    }
                }
            }
        }
        if (!isDone && !isReal) {
            out.println("Nothing was changed. ./spillway twilio apply --yes sets the numbers.");
        }
        out.flush();
        return isDone ? 0 : 3;
    }

    /**
     * Tells what becomes of a number, after it has.
     *
     * @param setting sets a number; null if nothing is to be set
     * @return whether it is now as it should be
     */
    static boolean take(String who, Step step, @Nullable Consumer<Step.Change> setting, PrintWriter out) {
        return switch (step) {
            case Step.Right right -> {
                out.println(who + ": as it should be");
                yield true;
            }
            case Step.Missing missing -> {
                out.println(
                        who + ": is not in the tenant's Twilio account; buy it there, or take it out of tenants.json");
                yield false;
            }
            case Step.Change change -> {
                if (setting == null) {
                    out.println(who + ": would change");
                    differences(change, out);
                    yield false;
                }
                try {
                    setting.accept(change);
                } catch (IllegalStateException e) {
                    out.println(who + ": could not be changed: " + e.getMessage());
                    yield false;
                }
                out.println(who + ": changed");
                differences(change, out);
                yield true;
            }
        };
    }

    private static void differences(Step.Change change, PrintWriter out) {
        change.to()
                .forEach((name, value) -> out.println(
                        "  " + name + ": " + shown(change.from().getOrDefault(name, "")) + " -> " + shown(value)));
    }

    private static String shown(String value) {
        return value.isEmpty() ? "(nothing)" : value;
    }
}
