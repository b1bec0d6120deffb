package dev.spillway.infra;

import io.github.cdklabs.cdknag.NagPackSuppression;
import io.github.cdklabs.cdknag.NagSuppressions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import software.amazon.awscdk.Stack;

/** Where the AwsSolutions rules do not fit, and why. One reason for each: a rule that is broken elsewhere fails the build. */
final class Exceptions {
    private Exceptions() {}

    static void ofShared(Stack stack) {
        apply(stack, Map.of());
    }

    static void ofTenant(Stack stack) {
        apply(stack, Map.of());
    }

    private static void apply(Stack stack, Map<String, String> reasons) {
        List<NagPackSuppression> suppressions = new ArrayList<>();
        reasons.forEach((rule, reason) -> suppressions.add(
                NagPackSuppression.builder().id(rule).reason(reason).build()));
        NagSuppressions.addStackSuppressions(stack, suppressions);
    }
}
