package dev.spillway.core.call;

import dev.spillway.core.DependencyException;
import dev.spillway.core.tenant.Tenant;

/** What we ask of Twilio's REST API. */
public interface Telephony {
    /**
     * Makes a live call go on at the continue URL of that hop. Repeating it is harmless: a repeat of a hop gets the
     * stored answer.
     *
     * @return false if the call is over
     * @throws DependencyException if it is unknown whether Twilio took it
     */
    boolean sendToContinue(Tenant tenant, CallSid call, int hop);

    /**
     * Twilio's word for how that call is.
     *
     * @throws DependencyException if Twilio does not say
     */
    CallStatus status(Tenant tenant, CallSid call);
}
