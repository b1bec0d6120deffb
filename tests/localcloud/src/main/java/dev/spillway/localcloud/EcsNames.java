package dev.spillway.localcloud;

import java.util.Locale;
import java.util.UUID;

/** Names and ARNs of one cluster. The account is the one of the vendor's examples. */
record EcsNames(String cluster) {
    static final String REGION = "us-east-1";
    static final String ACCOUNT = "123456789012";

    private static final String PREFIX = "arn:aws:ecs:" + REGION + ":" + ACCOUNT + ":";

    static String newTaskId() {
        return UUID.randomUUID().toString().replace("-", "").toLowerCase(Locale.ROOT);
    }

    String clusterArn() {
        return PREFIX + "cluster/" + cluster;
    }

    String serviceArn(String service) {
        return PREFIX + "service/" + cluster + "/" + service;
    }

    String taskArn(String taskId) {
        return PREFIX + "task/" + cluster + "/" + taskId;
    }

    String containerArn(String taskId) {
        return PREFIX + "container/" + cluster + "/" + taskId + "/" + taskId.substring(0, 8);
    }

    static String taskDefinitionArn(String family, int revision) {
        return PREFIX + "task-definition/" + family + ":" + revision;
    }

    static String targetGroupArn(String targetGroup) {
        return "arn:aws:elasticloadbalancing:" + REGION + ":" + ACCOUNT + ":targetgroup/" + targetGroup
                + "/0123456789abcdef";
    }

    boolean isCluster(String nameOrArn) {
        return nameOrArn.equals(cluster) || nameOrArn.equals(clusterArn());
    }

    /** The last part of an ARN, or the name itself. */
    static String shortName(String nameOrArn) {
        return nameOrArn.substring(nameOrArn.lastIndexOf('/') + 1);
    }
}
