package dev.spillway.system;

import java.net.URI;
import java.util.List;

/** Where the local system listens. Each tenant has a load balancer listener of its own; the first one's is repeated on top. */
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
