package dev.spillway.infra;

import dev.spillway.adapters.journal.MetricNames;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.tenant.TenantId;

/**
 * What things are called. Names that a tenant's stack or a policy must know are fixed here, so that neither has to be
 * deployed again when a tenant comes or goes.
 *
 * @param deployment the deployment's own name, which all others begin with
 */
record Names(String deployment, String domain) {
    String service(PoolId pool) {
        return deployment + "-" + pool;
    }

    /** Every service of the deployment, in a policy. */
    String services() {
        return deployment + "-*";
    }

    String function(String id) {
        return deployment + "-" + id;
    }

    String streamSecret() {
        return deployment + "/stream";
    }

    String streamKeySecret(PoolId pool) {
        return deployment + "/pool/" + pool + "/stream-key";
    }

    /** Every pool's stream key, in a policy. */
    String streamKeySecrets() {
        return deployment + "/pool/*";
    }

    String tenantSecret(TenantId tenant) {
        return tenantSecretPrefix() + tenant;
    }

    /** What comes before the tenant's id: the functions find a secret by it while the table cannot be read. */
    String tenantSecretPrefix() {
        return deployment + "/tenant/";
    }

    /** Every tenant's secret, in a policy. */
    String tenantSecrets() {
        return tenantSecretPrefix() + "*";
    }

    String metrics() {
        return MetricNames.namespace(deployment);
    }

    String host(PoolId pool) {
        return pool + "." + domain;
    }

    String apiHost() {
        return "api." + domain;
    }

    String publicUrl() {
        return "https://" + apiHost();
    }

    String streamUrl(PoolId pool) {
        return "wss://" + host(pool);
    }

    String voiceUrl(PoolId pool) {
        return "https://" + host(pool) + "/voice";
    }

    /** The stack of a pool; the gateway's is the shared one. */
    String stack(PoolId pool) {
        return deployment + "-" + pool;
    }

    String sharedStack() {
        return deployment;
    }

    String export(String what) {
        return deployment + "-" + what;
    }
}
