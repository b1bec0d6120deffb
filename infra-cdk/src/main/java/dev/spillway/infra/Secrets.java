package dev.spillway.infra;

import dev.spillway.core.pool.PoolId;
import software.amazon.awscdk.RemovalPolicy;
import software.amazon.awscdk.services.secretsmanager.Secret;
import software.amazon.awscdk.services.secretsmanager.SecretStringGenerator;
import software.constructs.Construct;

/** The shapes of the secrets. What is generated is only ever in Secrets Manager, never in a template. */
final class Secrets {
    private Secrets() {}

    /** The master of all stream keys: 44 letters and digits are base64 of 33 bytes. */
    static Secret stream(Construct scope, Names names) {
        return Secret.Builder.create(scope, "StreamSecret")
                .secretName(names.streamSecret())
                .description("The master key from which each pool's stream key is derived")
                .generateSecretString(SecretStringGenerator.builder()
                        .secretStringTemplate("{}")
                        .generateStringKey("key")
                        .passwordLength(44)
                        .excludePunctuation(true)
                        .includeSpace(false)
                        .build())
                .removalPolicy(RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE)
                .build();
    }

    /** A pool's stream key, written by the registration function. */
    static Secret streamKey(Construct scope, Names names, PoolId pool) {
        return Secret.Builder.create(scope, "StreamKey")
                .secretName(names.streamKeySecret(pool))
                .description("The stream key of pool " + pool + ", derived from the master key")
                .build();
    }

    /**
     * A tenant's Twilio auth token. Until it is filled in it is a random one, with which no signature is right. It goes with
     * the tenant: a customer's token is not kept, and the tenant may come back under its name.
     */
    static Secret twilio(Construct scope, Names names, TenantPlan plan) {
        return Secret.Builder.create(scope, "Twilio")
                .secretName(names.tenantSecret(plan.tenant()))
                .description("authToken of Twilio subaccount " + plan.accountSid()
                        + ", and nextAuthToken while tokens rotate")
                .generateSecretString(SecretStringGenerator.builder()
                        .secretStringTemplate("{}")
                        .generateStringKey("authToken")
                        .passwordLength(32)
                        .excludePunctuation(true)
                        .includeSpace(false)
                        .build())
                .removalPolicy(RemovalPolicy.DESTROY)
                .build();
    }
}
