package dev.spillway.infra;

import software.amazon.awscdk.Stack;
import software.constructs.Construct;

/** Names of resources in the account and region of a stack. */
final class Arns {
    private Arns() {}

    static String of(Construct scope, String service, String resource) {
        Stack stack = Stack.of(scope);
        return "arn:" + stack.getPartition() + ":" + service + ":" + stack.getRegion() + ":" + stack.getAccount() + ":"
                + resource;
    }

    /** Secrets Manager adds a hyphen and six characters to a name. */
    static String secret(Construct scope, String name) {
        return of(scope, "secretsmanager", "secret:" + name + (name.endsWith("*") ? "" : "-??????"));
    }
}
