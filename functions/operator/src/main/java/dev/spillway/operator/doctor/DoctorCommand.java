package dev.spillway.operator.doctor;

import dev.spillway.adapters.aws.AwsClients;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.tenant.TenantId;
import dev.spillway.operator.Account;
import dev.spillway.operator.DeploymentFiles;
import dev.spillway.operator.DeploymentFiles.TenantEntry;
import dev.spillway.operator.twilio.NumberPlanning;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code ./spillway doctor}. */
@Command(
        name = "doctor",
        mixinStandardHelpOptions = true,
        description =
                "Compares table, ECS, target groups, numbers at Twilio and quotas with what the tenants need, and names each"
                        + " mismatch. Exit code 3: there is one.")
public final class DoctorCommand implements Callable<Integer> {
    @Mixin
    Account account = new Account();

    @Option(
            names = "--deployments-only",
            description = "only whether a service has too many active deployments: asked before each deployment")
    boolean deploymentsOnly;

    @Option(
            names = "--twilio-url",
            defaultValue = "https://api.twilio.com",
            description = "Twilio's REST API (default: ${DEFAULT-VALUE})")
    @SuppressWarnings("NullAway.Init") // set by picocli
    String twilioUrl;

    @Option(
            names = "--calls-per-second",
            defaultValue = "1",
            paramLabel = "N",
            description = "how many calls out Twilio lets each subaccount begin in a second, which no API tells"
                    + " (default: ${DEFAULT-VALUE}, Twilio's own)")
    double callsPerSecond;

    @CommandLine.Spec
    @SuppressWarnings("NullAway.Init")
    CommandLine.Model.CommandSpec spec;

    @Override
    public Integer call() {
        DeploymentFiles files = account.files();
        PrintWriter out = spec.commandLine().getOut();
        List<Mismatch> found = new ArrayList<>();
        try (AwsClients clients = account.clients(files);
                AccountReading reading = new AccountReading(files, clients)) {
            if (deploymentsOnly) {
                deployments(files, reading, found);
            } else {
                everything(files, clients, reading, found, out);
            }
        }
        found.forEach(out::println);
        out.println(found.isEmpty() ? "No mismatch." : found.size() + " mismatches.");
        out.flush();
        return found.isEmpty() ? 0 : 3;
    }

    /** In an account without a deployment there is no service, and nothing to wait for. */
    private static void deployments(DeploymentFiles files, AccountReading reading, List<Mismatch> found) {
        for (PoolId pool : pools(files)) {
            reading.serviceFacts(pool)
                    .flatMap(service -> PoolFacts.tooManyDeployments(pool, service))
                    .ifPresent(found::add);
        }
    }

    private static List<PoolId> pools(DeploymentFiles files) {
        return Stream.concat(Stream.of(PoolId.GATEWAY), files.tenants().stream().map(tenant -> PoolId.of(tenant.id())))
                .toList();
    }

    private void everything(
            DeploymentFiles files, AwsClients clients, AccountReading reading, List<Mismatch> found, PrintWriter out) {
        Instant now = Instant.now();
        boolean isDeployed = reading.isDeployed();
        try (QuotaReading asking = new QuotaReading(files)) {
            Quotas quotas = asking.read(isDeployed, reading.subnets());
            found.addAll(quotas.against(files, now));
            quotas.unknown().forEach(name -> out.println("not looked at: " + name + ", which could not be asked"));
        }
        for (TenantEntry tenant : files.tenants()) {
            CallRate.against(tenant, callsPerSecond).ifPresent(found::add);
        }
        if (!isDeployed) {
            found.add(new Mismatch(
                    "deployment " + files.name(),
                    "no table, so nothing is deployed in " + files.region(),
                    "a deployment",
                    "./spillway deploy; before the first in an account and region, ./spillway cdk bootstrap"));
            return;
        }
        Set<TenantId> listed = reading.listed();
        found.addAll(reading.pool(PoolId.GATEWAY, listed, now).against(files, Optional.empty()));
        try (NumberPlanning numbers = new NumberPlanning(files, clients, twilioUrl)) {
            for (TenantEntry tenant : files.tenants()) {
                found.addAll(reading.pool(PoolId.of(tenant.id()), listed, now).against(files, Optional.of(tenant)));
                found.addAll(Numbers.against(numbers.plan(tenant)));
            }
        }
    }
}
