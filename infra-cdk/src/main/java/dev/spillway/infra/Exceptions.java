package dev.spillway.infra;

import io.github.cdklabs.cdknag.NagPackSuppression;
import io.github.cdklabs.cdknag.NagSuppressions;
import java.util.List;
import software.amazon.awscdk.Stack;

/**
 * Where the AwsSolutions rules do not fit, and why: each on the narrowest construct that breaks it, so that a rule that is
 * broken anywhere else fails the build.
 */
final class Exceptions {
    private static final NagPackSuppression PREFIXES = reason(
            "AwsSolutions-IAM5",
            "The wildcards end names that begin with the deployment's own: tenants come and go without a deployment of what"
                    + " they share. ecs:ListTasks and ecr:GetAuthorizationToken know no resource; the first is held to the"
                    + " cluster by a condition");

    private static final NagPackSuppression SETTINGS = reason(
            "AwsSolutions-ECS2", "The variables are names and addresses; the one secret comes from Secrets Manager");

    private static final NagPackSuppression STREAM_KEYS = reason(
            "AwsSolutions-SMG4",
            "A stream key lives as long as a deployment: rotating it means deploying, since containers get it at their start");

    private static final NagPackSuppression TWILIO_TOKENS = reason(
            "AwsSolutions-SMG4",
            "Twilio rotates auth tokens on request of their owner, by a next token that both sides know for a while; the"
                    + " secret holds both");

    private Exceptions() {}

    static void ofShared(Stack stack) {
        allow(stack, "Functions", PREFIXES);
        allow(
                stack,
                "PublicApi",
                reason(
                        "AwsSolutions-APIG4",
                        "Twilio cannot sign for IAM: its own signature is checked by each function"));
        allow(
                stack,
                "Entrance",
                reason("AwsSolutions-EC23", "Twilio calls from no fixed addresses, and every request is signed"),
                reason("AwsSolutions-S1", "This is the bucket of access logs"));
        allow(stack, "DeadLetters", reason("AwsSolutions-SQS3", "These are the dead-letter queues"));
        allow(stack, "StreamSecret", STREAM_KEYS);
        allow(stack, "Gateway", PREFIXES, SETTINGS, STREAM_KEYS);
    }

    static void ofTenant(Stack stack) {
        allow(stack, "Twilio", TWILIO_TOKENS);
        allow(stack, "Pool", PREFIXES, SETTINGS, STREAM_KEYS);
    }

    private static void allow(Stack stack, String construct, NagPackSuppression... suppressions) {
        NagSuppressions.addResourceSuppressions(stack.getNode().findChild(construct), List.of(suppressions), true);
    }

    private static NagPackSuppression reason(String rule, String reason) {
        return NagPackSuppression.builder().id(rule).reason(reason).build();
    }
}
