package dev.spillway.operator.twilio;

import dev.spillway.adapters.aws.AwsClients;
import dev.spillway.adapters.secrets.SecretTokens;
import dev.spillway.core.tenant.Persona;
import dev.spillway.core.tenant.Tenant;
import dev.spillway.operator.Account;
import dev.spillway.operator.DeploymentFiles;
import dev.spillway.operator.DeploymentFiles.TenantEntry;
import dev.spillway.operator.twilio.NumberPlan.Step;
import java.io.PrintWriter;
import java.time.InstantSource;
import java.util.concurrent.Callable;
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
            description = "Sets the numbers. Without --yes it only prints, as plan does.")
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
                TwilioNumbers twilio = new TwilioNumbers(twilioUrl)) {
            SecretTokens tokens = new SecretTokens(clients.secrets(), InstantSource.system());
            for (TenantEntry tenant : files.tenants()) {
                String token = tokens.of(named(files, tenant)).getFirst();
                NumberPlan plan = NumberPlan.of(files, tenant, twilio.list(tenant.accountSid(), token));
                print(plan, isReal, out);
                isDone &= plan.isDone();
                if (isReal) {
                    for (Step step : plan.steps()) {
                        if (step instanceof Step.Change change) {
                            twilio.set(tenant.accountSid(), token, change.sid(), change.to());
                        }
                    }
                }
            }
        }
        if (!isDone && !isReal) {
            out.println("Nothing was changed. ./spillway twilio apply --yes sets the numbers.");
        }
        out.flush();
        return isDone || isReal ? 0 : 3;
    }

    private static Tenant named(DeploymentFiles files, TenantEntry tenant) {
        return new Tenant(
                tenant.id(),
                tenant.numbers(),
                tenant.accountSid(),
                files.tenantSecret(tenant.id()),
                new Persona("none", "none", "none", "none", "none"));
    }

    static void print(NumberPlan plan, boolean isReal, PrintWriter out) {
        for (Step step : plan.steps()) {
            String who = plan.tenant() + " " + NumberSettings.masked(step.number());
            switch (step) {
                case Step.Right right -> out.println(who + ": as it should be");
                case Step.Missing missing ->
                    out.println(who
                            + ": is not in the tenant's Twilio account; buy it there, or take it out of tenants.json");
                case Step.Change change -> {
                    out.println(who + (isReal ? ": changed" : ": would change"));
                    change.to()
                            .forEach((name, value) -> out.println("  " + name + ": "
                                    + (change.from().getOrDefault(name, "").isEmpty()
                                            ? "(nothing)"
                                            : change.from().get(name))
                                    + " -> " + value));
                }
            }
        }
    }
}
