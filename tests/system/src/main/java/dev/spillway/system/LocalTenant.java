package dev.spillway.system;

import dev.spillway.core.outbound.Country;
import dev.spillway.core.outbound.OutboundPolicy;
import dev.spillway.core.pool.Policy;
import dev.spillway.core.tenant.Mode;
import dev.spillway.core.tenant.Persona;
import dev.spillway.core.tenant.Principal;
import dev.spillway.core.tenant.Tenant;
import dev.spillway.core.tenant.TenantId;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A made-up tenant of the local system. Numbers are of the range that Twilio keeps for tests.
 *
 * @param outbound its durations are unscaled
 * @param authToken signs this tenant's webhooks; not a secret of anybody's
 */
record LocalTenant(Tenant tenant, Mode mode, Policy policy, OutboundPolicy outbound, String authToken) {

    /** Three calls out at a time, to numbers of the test range at any hour. */
    static final OutboundPolicy OUTBOUND = new OutboundPolicy(
            3,
            0,
            1_000,
            1,
            10_000,
            Map.of(),
            List.of(Country.always("+1500555")),
            Set.of(),
            OutboundPolicy.Warmth.USUAL);

    /** Nothing runs until somebody calls. */
    static final LocalTenant ACME = new LocalTenant(
            new Tenant(
                    new TenantId("acme"),
                    Set.of("+15005550001"),
                    "AC000000000000000000000000000000a1",
                    "spillway/tenant/acme",
                    new Persona(
                            "scripted",
                            "alto",
                            "Hello, this is the Acme flower shop. How can I help you today?",
                            "Sorry for the short pause. Where were we?",
                            "Thank you for calling Acme. Goodbye."),
                    Set.of(caller("acme"))),
            Mode.ON_DEMAND,
            policy(Mode.ON_DEMAND),
            OUTBOUND,
            "a11ce0000000000000000000000000a1");

    /** Two containers always run. */
    static final LocalTenant GLOBEX = new LocalTenant(
            new Tenant(
                    new TenantId("globex"),
                    Set.of("+15005550002"),
                    "AC000000000000000000000000000000b2",
                    "spillway/tenant/globex",
                    new Persona(
                            "scripted",
                            "bass",
                            "Good day, Globex dental practice. Would you like to make an appointment?",
                            "I am back with you. Please go on.",
                            "Thank you for calling Globex. Goodbye."),
                    Set.of(caller("globex"))),
            Mode.PRODUCTION,
            policy(Mode.PRODUCTION),
            OUTBOUND,
            "b0b000000000000000000000000000b2");

    private static Policy policy(Mode mode) {
        return new Policy(mode.minimum(), 20, limit(), 0, Policy.ScaleOutRule.PLUS_ONE, Policy.ScaleInRule.IDLE);
    }

    /** Six calls on a container; a calibration, which looks for the limit, asks for more. */
    private static int limit() {
        String asked = System.getenv("SPILLWAY_LOCAL_LIMIT");
        if (asked != null && !asked.matches("[1-9][0-9]{0,2}")) {
            throw new IllegalArgumentException("SPILLWAY_LOCAL_LIMIT is a number of calls from 1 to 999, not " + asked);
        }
        return asked == null ? 6 : Integer.parseInt(asked);
    }

    /** The same tenant with another pool. */
    LocalTenant with(Policy otherPolicy, OutboundPolicy otherOutbound) {
        return new LocalTenant(tenant, mode, otherPolicy, otherOutbound, authToken);
    }

    /** The role of those who may touch the tenant. */
    private static Principal caller(String tenant) {
        return new Principal("arn:aws:iam::000000000000:role/" + tenant);
    }

    String number() {
        return tenant.numbers().iterator().next();
    }
}
