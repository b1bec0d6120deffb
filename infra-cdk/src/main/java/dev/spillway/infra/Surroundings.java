package dev.spillway.infra;

import java.util.List;

/**
 * What a pool needs to know of the shared stack, as values or as imports of its exports.
 *
 * @param subnetIds in two zones or more; may be one import that CloudFormation splits
 * @param registrationArn of the function that writes pools into the table
 */
record Surroundings(
        String cluster,
        String vpcId,
        List<String> subnetIds,
        String containerGroup,
        boolean publicAddresses,
        String listenerArn,
        String tableArn,
        String busArn,
        String busName,
        String tableName,
        String registrationArn) {}
