package dev.spillway.localcloud;

import java.net.URI;

/**
 * What a launcher needs to know to start a task's process.
 *
 * @param agentUrl value for {@code ECS_AGENT_URI}
 * @param metadataUrl value for {@code ECS_CONTAINER_METADATA_URI_V4}
 * @param port free loopback port that the task's server has to listen on
 */
public record TaskStart(
        String taskArn,
        String taskId,
        String service,
        String family,
        int revision,
        String availabilityZone,
        URI agentUrl,
        URI metadataUrl,
        int port) {}
