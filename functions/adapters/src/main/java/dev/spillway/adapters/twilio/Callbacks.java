package dev.spillway.adapters.twilio;

import dev.spillway.core.call.Generation;
import dev.spillway.core.call.JobId;
import dev.spillway.core.tenant.TenantId;

/**
 * The URLs at which Twilio calls back.
 *
 * @param publicUrl the base URL of the HTTP API as Twilio sees it, without a trailing slash
 */
public record Callbacks(String publicUrl) {
    /**
     * Twilio's connection overrides: 1 s to connect, 3 s to answer, 5 s in all, no retry (FACTS 1). They are no part of
     * the signed URL.
     */
    public static final String OVERRIDES = "#ct=1000&rt=3000&tt=5000&rc=0";

    /** Those of a fallback URL: nothing stands behind it, so it has all the time that Twilio gives; decision record 6. */
    public static final String FALLBACK_OVERRIDES = "#ct=2000&rt=8000&tt=15000&rc=1";

    public Callbacks {
        if (publicUrl.isBlank() || publicUrl.endsWith("/")) {
            throw new IllegalArgumentException("want a base URL without a trailing slash, not '" + publicUrl + "'");
        }
    }

    /** As signed: without overrides. */
    public String fallback(TenantId tenant) {
        return publicUrl + "/twilio/fallback/" + tenant;
    }

    /** As signed: without overrides. */
    public String continued(TenantId tenant, int hop) {
        return publicUrl + "/twilio/continue/" + tenant + "/" + hop;
    }

    /** As written in TwiML: with the connection overrides. */
    public String continueUrl(TenantId tenant, int hop) {
        return continued(tenant, hop) + OVERRIDES;
    }

    public String status(TenantId tenant, int hop) {
        return publicUrl + "/twilio/status/" + tenant + "/" + hop;
    }

    /** The TwiML of a dial, as signed: without overrides. */
    public String dial(JobId job, Generation generation) {
        return publicUrl + "/twilio/dial/" + job.tenant() + "/" + job + "/" + generation;
    }

    public String outboundStatus(JobId job, Generation generation) {
        return publicUrl + "/twilio/outbound-status/" + job.tenant() + "/" + job + "/" + generation;
    }

    public String streamStatus(TenantId tenant, int hop) {
        return publicUrl + "/twilio/stream-status/" + tenant + "/" + hop;
    }
}
