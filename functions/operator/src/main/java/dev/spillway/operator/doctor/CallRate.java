package dev.spillway.operator.doctor;

import dev.spillway.operator.DeploymentFiles.TenantEntry;
import java.util.Optional;

/**
 * What a tenant's dialer may ask of Twilio, beside what Twilio has granted. Calls beyond the rate are not refused: Twilio
 * queues them, and callees answer when nobody expects it any more.
 */
final class CallRate {
    private CallRate() {}

    /** @param granted calls in a second, for each subaccount */
    static Optional<Mismatch> against(TenantEntry tenant, double granted) {
        if (tenant.dialsPerSecond() <= granted) {
            return Optional.empty();
        }
        return Optional.of(
                new Mismatch(
                        "Twilio's call rate of " + tenant.id(),
                        "%s calls per second".formatted(shown(granted)),
                        "%s, its dialsPerSecond".formatted(shown(tenant.dialsPerSecond())),
                        "Ask Twilio for more for its subaccount and say so with --calls-per-second, or lower outbound.dialsPerSecond"));
    }

    private static String shown(double rate) {
        return rate == Math.rint(rate) ? String.valueOf((long) rate) : String.valueOf(rate);
    }
}
