package dev.spillway.system;

import dev.spillway.adapters.Sha256NumberHash;
import dev.spillway.core.outbound.Country;
import dev.spillway.core.outbound.OutboundPolicy;
import dev.spillway.core.pool.Policy;
import dev.spillway.core.tenant.Mode;
import dev.spillway.core.tenant.Persona;
import dev.spillway.core.tenant.Principal;
import dev.spillway.core.tenant.Tenant;
import dev.spillway.core.tenant.TenantId;
import java.time.Duration;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Tenants whose calls out are bounded, each in its way; all numbers are of the test range. */
final class OutboundTenants {
    static final String SUPPRESSED = "+15005557074";

    /** Two containers of one slot each always run, and one of the two slots is the callers'. */
    static final LocalTenant GLOBEX = LocalTenant.GLOBEX.with(
            new Policy(2, 4, 1, 0, Policy.ScaleOutRule.PLUS_ONE, Policy.ScaleInRule.IDLE),
            outbound(1, 10_000, Map.of(), Country.always("+1500555"), Set.of()));

    /** One model session, and two dials a day. */
    static final LocalTenant INITECH = tenant(
            "initech", "3", outbound(0, 2, Map.of("speech", 40, "model", 1), Country.always("+1500555"), Set.of()));

    /** Whose callees sleep now, for six hours at least. */
    static final LocalTenant HOOLI = tenant(
            "hooli",
            "4",
            outbound(
                    0,
                    10_000,
                    Map.of(),
                    asleep(),
                    Set.of(new Sha256NumberHash().of(new TenantId("hooli"), SUPPRESSED))));

    /** Nothing runs until a job is due, and then it is kept for what starts within twelve minutes at twenty times the speed. */
    static final LocalTenant WONKA = tenant(
            "wonka",
            "5",
            new OutboundPolicy(
                    3,
                    0,
                    1_000,
                    1,
                    10_000,
                    Map.of(),
                    List.of(Country.always("+1500555")),
                    Set.of(),
                    new OutboundPolicy.Warmth(OutboundPolicy.Warmth.USUAL.margin(), Duration.ofHours(4))));

    private OutboundTenants() {}

    private static Country asleep() {
        LocalTime opens =
                LocalTime.now(ZoneOffset.UTC).isBefore(LocalTime.NOON) ? LocalTime.of(18, 0) : LocalTime.of(3, 0);
        return new Country("+1500555", Set.of(ZoneId.of("Etc/UTC")), opens, opens.plusHours(1));
    }

    private static OutboundPolicy outbound(
            int reserve, int dailyCap, Map<String, Integer> providers, Country country, Set<String> suppressed) {
        return new OutboundPolicy(
                3, reserve, 1_000, 1, dailyCap, providers, List.of(country), suppressed, OutboundPolicy.Warmth.USUAL);
    }

    private static LocalTenant tenant(String name, String digit, OutboundPolicy outbound) {
        return new LocalTenant(
                new Tenant(
                        new TenantId(name),
                        Set.of("+1500555000" + digit),
                        "AC0000000000000000000000000000000" + digit,
                        "spillway/tenant/" + name,
                        new Persona("scripted", "alto", "Hello.", "Where were we?", "Goodbye."),
                        Set.of(new Principal("arn:aws:iam::000000000000:role/" + name))),
                Mode.ON_DEMAND,
                LocalTenant.ACME.policy(),
                outbound,
                "0000000000000000000000000000000" + digit);
    }
}
