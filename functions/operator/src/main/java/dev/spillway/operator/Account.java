package dev.spillway.operator;

import dev.spillway.adapters.aws.AwsClients;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which deployment a command is about. The AWS account is that of the usual credentials. */
public final class Account {
    @Option(
            names = "--deployment",
            paramLabel = "DIRECTORY",
            description = "with deployment.json and tenants.json (default: infra-cdk)")
    @Nullable
    Path directory;

    /** @throws IllegalArgumentException if they cannot be read */
    public DeploymentFiles files() {
        Path home = Path.of(System.getProperty("spillway.home", "."))
                .toAbsolutePath()
                .normalize();
        return DeploymentFiles.read(directory == null ? home.resolve("infra-cdk") : directory);
    }

    /** For the deployment's region; endpoints of an emulator are taken from the environment. */
    public AwsClients clients(DeploymentFiles files) {
        Map<String, String> environment = new HashMap<>(System.getenv());
        environment.put("AWS_REGION", files.region());
        return AwsClients.from(environment);
    }
}
