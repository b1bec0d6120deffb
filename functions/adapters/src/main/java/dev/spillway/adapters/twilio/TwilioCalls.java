package dev.spillway.adapters.twilio;

import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.Telephony;
import dev.spillway.core.tenant.Tenant;
import dev.spillway.core.tenant.TwilioTokens;

/** Moves live calls by Twilio's REST API. */
public final class TwilioCalls implements Telephony, AutoCloseable {
    public TwilioCalls(String apiUrl, Callbacks callbacks, TwilioTokens tokens) {}

    @Override
    public boolean sendToContinue(Tenant tenant, CallSid call, int hop) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {
        throw new UnsupportedOperationException();
    }
}
