package dev.spillway.simulation.world;

import dev.spillway.adapters.twilio.TwilioCalls;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.Telephony;
import dev.spillway.core.contract.TelephonyContract;
import dev.spillway.core.tenant.Tenant;
import dev.spillway.core.tenant.TenantId;
import dev.spillway.localcloud.twilio.Call;
import dev.spillway.localcloud.twilio.CallScript;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;

/** The adapter that the functions use, before a stand-in for Twilio. */
class TwilioCallsContractTest extends TelephonyContract {
    private final StandInTwilio twilio = new StandInTwilio();
    private final TwilioCalls calls = new TwilioCalls(twilio.api(), twilio.callbacks(), StandInTwilio.tokens());

    @AfterEach
    void close() {
        calls.close();
        twilio.close();
    }

    @Override
    protected Telephony telephony() {
        return calls;
    }

    @Override
    protected Tenant tenant(TenantId id) {
        return StandInTwilio.tenant(id);
    }

    private Call calling(String number) {
        return twilio.twilio().call(number, "+15005550001", CallScript.lasting(Duration.ofMinutes(2)));
    }

    @Override
    protected CallSid talking() {
        Call call = calling(StandInTwilio.NUMBER);
        await(() -> call.answeredAt().isPresent());
        return new CallSid(call.sid());
    }

    @Override
    protected CallSid ringing() {
        return new CallSid(calling(StandInTwilio.SLOW_NUMBER).sid());
    }

    @Override
    protected void hangUp(CallSid call) {
        twilio.twilio().call(call.value()).orElseThrow().hangUp();
    }

    @Override
    protected List<Integer> continuedAt(CallSid call) {
        return twilio.continuedAt(call);
    }

    @Override
    protected void await(BooleanSupplier so) {
        StandInTwilio.await(so);
    }
}
