package dev.spillway.infra;

import io.github.cdklabs.cdknag.AwsSolutionsChecks;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import software.amazon.awscdk.App;
import software.amazon.awscdk.Aspects;
import software.amazon.awscdk.Environment;
import software.amazon.awscdk.Stack;
import software.amazon.awscdk.StackProps;

/** The whole deployment: the shared stack and one for each tenant, checked against the AwsSolutions rules. */
final class SpillwayApp {
    private final App app;
    private final SharedStack shared;
    private final List<TenantStack> tenants = new ArrayList<>();

    SpillwayApp(App app, Deployment deployment, TenantsFile file, Artifacts artifacts) {
        this.app = app;
        StackProps props = StackProps.builder()
                .env(Environment.builder()
                        .account(System.getenv("CDK_DEFAULT_ACCOUNT"))
                        .region(deployment.region())
                        .build())
                .tags(Map.of("spillway", deployment.name()))
                .build();
        this.shared = new SharedStack(app, deployment, artifacts, props);
        Exceptions.ofShared(shared);
        for (TenantPlan plan : file.tenants()) {
            TenantStack stack = new TenantStack(app, deployment, plan, artifacts, props);
            stack.addStackDependency(shared);
            Exceptions.ofTenant(stack);
            tenants.add(stack);
        }
        Aspects.of(app).add(AwsSolutionsChecks.Builder.create().verbose(true).build());
    }

    App app() {
        return app;
    }

    SharedStack shared() {
        return shared;
    }

    List<Stack> stacks() {
        List<Stack> all = new ArrayList<>();
        all.add(shared);
        all.addAll(tenants);
        return all;
    }
}
