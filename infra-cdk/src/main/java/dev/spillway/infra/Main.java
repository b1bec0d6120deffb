package dev.spillway.infra;

import java.nio.file.Files;
import java.nio.file.Path;
import software.amazon.awscdk.App;

/** What {@code cdk} runs. The directory with {@code deployment.json} and {@code tenants.json} may be given. */
public final class Main {
    private Main() {}

    public static void main(String[] arguments) {
        Path home = Path.of(System.getProperty("spillway.home", ".."))
                .toAbsolutePath()
                .normalize();
        Path directory = arguments.length > 0 ? Path.of(arguments[0]) : home.resolve("infra-cdk");
        try {
            Artifacts artifacts = Artifacts.in(home);
            if (!Files.isRegularFile(artifacts.functionsJar())) {
                throw new IllegalArgumentException(
                        artifacts.functionsJar() + " is missing; run ./spillway build first");
            }
            Deployment deployment = JsonFile.read(directory.resolve("deployment.json"), Deployment.class);
            TenantsFile tenants = JsonFile.read(directory.resolve("tenants.json"), TenantsFile.class);
            new SpillwayApp(new App(), deployment, tenants, artifacts).app().synth();
        } catch (IllegalArgumentException e) {
            System.err.println("spillway: " + e.getMessage());
            System.exit(2);
        }
    }
}
