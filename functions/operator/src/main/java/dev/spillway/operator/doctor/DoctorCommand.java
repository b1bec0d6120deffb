package dev.spillway.operator.doctor;

import dev.spillway.adapters.aws.AwsClients;
import dev.spillway.core.pool.PoolId;
import dev.spillway.operator.Account;
import dev.spillway.operator.DeploymentFiles;
import dev.spillway.operator.DeploymentFiles.TenantEntry;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code ./spillway doctor}. */
@Command(
        name = "doctor",
        mixinStandardHelpOptions = true,
        description =
                "Compares table, ECS, target groups and quotas with what the tenants need, and names each mismatch;"
                        + " ./spillway twilio plan does the same for their numbers. Exit code 3: there is one.")
public final class DoctorCommand implements Callable<Integer> {
    @Mixin
    Account account = new Account();

    @Option(
            names = "--deployments-only",
            description = "only whether a service has too many active deployments: asked before each deployment")
    boolean deploymentsOnly;

    @Option(
            names = "--gateway-maximum",
            defaultValue = "10",
            paramLabel = "N",
            description = "containers of the gateway at most (default: ${DEFAULT-VALUE})")
    int gatewayMaximum;

    @Option(
            names = "--fargate-vcpus",
            paramLabel = "N",
            description = "the quota \"Fargate On-Demand vCPU resource count\", as Service Quotas shows it")
    @Nullable
    Double fargateVcpus;

    @CommandLine.Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    CommandLine.Model.CommandSpec spec;

    @Override
    public Integer call() {
        DeploymentFiles files = account.files();
        PrintWriter out = spec.commandLine().getOut();
        Instant now = Instant.now();
        List<Mismatch> found = new ArrayList<>();
        try (AwsClients clients = account.clients(files);
                AccountReading reading = new AccountReading(files, clients)) {
            found.addAll(reading.pool(PoolId.GATEWAY, now).against(files, Optional.empty()));
            for (TenantEntry tenant : files.tenants()) {
                found.addAll(reading.pool(PoolId.of(tenant.id()), now).against(files, Optional.of(tenant)));
            }
            if (deploymentsOnly) {
                found.removeIf(mismatch -> !mismatch.found().endsWith("active deployments"));
            } else {
                Quotas quotas = reading.quotas(Optional.ofNullable(fargateVcpus));
                found.addAll(quotas.against(files, gatewayMaximum, now));
                quotas.unknown()
                        .forEach(name -> out.println(
                                "not looked at: " + name + " (could not be asked; Fargate: --fargate-vcpus)"));
                out.println(
                        "not looked at: Twilio's call rate, which no API tells; each tenant needs its dialsPerSecond");
            }
        }
        found.forEach(out::println);
        out.println(found.isEmpty() ? "No mismatch." : found.size() + " mismatches.");
        out.flush();
        return found.isEmpty() ? 0 : 3;
    }
}
