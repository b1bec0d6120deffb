package dev.spillway.system;

import java.net.URI;
import java.util.List;

/**
 * Where the local system listens. Each tenant has a load balancer listener of its own; the first one's is repeated on top.
 *
 * @param agentTakes what a load test's class may say of the embedded agent, by the names of a schedule
 * @param agentCpuMicros computing that the embedded agent does for each frame of 20 ms, one call at a time in a container
 */
record LocalInfo(
        URI apiUrl,
        URI loadBalancerUrl,
        URI gatewayUrl,
        URI dynamodbUrl,
        URI ecsUrl,
        URI twilioUrl,
        URI eventBridgeUrl,
        URI secretsUrl,
        URI consoleUrl,
        String logs,
        ApiKey operator,
        List<String> agentTakes,
        int agentCpuMicros,
        List<TenantInfo> tenants) {

    /** Made-up AWS keys that sign requests to the HTTP API. */
    record ApiKey(String accessKeyId, String secretAccessKey) {}

    /**
     * @param authToken signs this tenant's webhooks on the local stand-in
     * @param caller may touch this tenant and no other
     */
    record TenantInfo(
            String id, String number, String accountSid, String authToken, ApiKey caller, URI loadBalancerUrl) {}
}
