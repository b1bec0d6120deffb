package dev.spillway.operator;

import dev.spillway.adapters.aws.AwsClients;
import dev.spillway.adapters.dynamodb.DynamoForgetting;
import dev.spillway.adapters.dynamodb.DynamoForgetting.Forgotten;
import dev.spillway.adapters.dynamodb.DynamoTenants;
import dev.spillway.adapters.secrets.StreamSecret;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.tenant.TenantId;
import java.io.PrintWriter;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** {@code ./spillway forget NUMBER}. */
@Command(
        name = "forget",
        mixinStandardHelpOptions = true,
        description =
                "Takes a caller's or callee's number out of every tenant's attempts. Exit code 3: jobs still need it.")
public final class ForgetCommand implements Callable<Integer> {
    @Mixin
    Account account = new Account();

    @Parameters(paramLabel = "NUMBER", description = "in E.164")
    @SuppressWarnings("NullAway.Init") // set by picocli
    String number;

    @Option(
            names = "--tenant",
            paramLabel = "ID",
            description =
                    "also of this tenant, which was taken out of tenants.json less than 30 days ago; may be repeated")
    List<String> removed = new ArrayList<>();

    @CommandLine.Spec
    @SuppressWarnings("NullAway.Init")
    CommandLine.Model.CommandSpec spec;

    @Override
    public Integer call() {
        if (!number.matches("\\+[1-9][0-9]{6,14}")) {
            throw new ParameterException(spec.commandLine(), "want a number in E.164, a plus sign and 7 to 15 digits");
        }
        DeploymentFiles files = account.files();
        PrintWriter out = spec.commandLine().getOut();
        int open = 0;
        try (AwsClients clients = account.clients(files)) {
            StreamSecret keys = new StreamSecret(clients.secrets(), files.name() + "/stream");
            DynamoForgetting forgetting = new DynamoForgetting(clients.dynamoDb(), files.name());
            for (TenantId tenant : everybody(files, clients)) {
                Forgotten forgotten = forgetting.forget(
                        tenant, number, keys.keyOf(PoolId.of(tenant)).callerHash(number));
                out.println(tenant + ": forgotten in " + forgotten.attempts() + " attempts"
                        + (forgotten.open() > 0
                                ? "; " + forgotten.open() + " jobs still need it: cancel them, and ask again"
                                : ""));
                open += forgotten.open();
            }
        }
        out.println(
                "A tenant that was taken out of tenants.json keeps its attempts for 30 days: name it with --tenant.");
        out.println("Backups of the table keep what they have for up to 35 days, and Twilio has logs of its own.");
        out.flush();
        return open == 0 ? 0 : 3;
    }

    /** Those of the file, those that the functions look after, and those that are named. */
    private Set<TenantId> everybody(DeploymentFiles files, AwsClients clients) {
        Set<TenantId> all = new TreeSet<>();
        files.tenants().forEach(tenant -> all.add(tenant.id()));
        all.addAll(new DynamoTenants(clients.dynamoDb(), files.name(), InstantSource.system()).all());
        removed.forEach(id -> all.add(new TenantId(id)));
        return all;
    }
}
