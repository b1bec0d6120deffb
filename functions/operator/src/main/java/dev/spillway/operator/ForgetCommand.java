package dev.spillway.operator;

import dev.spillway.adapters.aws.AwsClients;
import dev.spillway.adapters.dynamodb.DynamoForgetting;
import dev.spillway.adapters.dynamodb.DynamoForgetting.Forgotten;
import dev.spillway.adapters.secrets.StreamSecret;
import dev.spillway.core.pool.PoolId;
import dev.spillway.operator.DeploymentFiles.TenantEntry;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
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
            for (TenantEntry tenant : files.tenants()) {
                Forgotten forgotten = forgetting.forget(
                        tenant.id(), number, keys.keyOf(PoolId.of(tenant.id())).callerHash(number));
                out.println(tenant.id() + ": forgotten in " + forgotten.attempts() + " attempts"
                        + (forgotten.open() > 0
                                ? "; " + forgotten.open() + " jobs still need it: cancel them, and ask again"
                                : ""));
                open += forgotten.open();
            }
        }
        out.println("Backups of the table keep what they have for up to 35 days, and Twilio has logs of its own.");
        out.flush();
        return open == 0 ? 0 : 3;
    }
}
