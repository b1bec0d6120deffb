package dev.spillway.core.contract;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.BLOOM;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.core.call.CallEnding.FinalStatus;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.CallStatus;
import dev.spillway.core.call.Telephony;
import dev.spillway.core.tenant.Tenant;
import dev.spillway.core.tenant.TenantId;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** What the flows expect of Twilio for callers: it says how a call is, and sends one on that has been answered. */
public abstract class TelephonyContract {
    /** One that nobody ever made. */
    private static final CallSid UNKNOWN = new CallSid("CA" + "f".repeat(32));

    protected abstract Telephony telephony();

    /** Acme and bloom, each with an account of its own. */
    protected abstract Tenant tenant(TenantId id);

    /** A caller of acme's who has been answered, and stays. */
    protected abstract CallSid talking();

    /** A caller of acme's whose first webhook is still under way, and stays so. */
    protected abstract CallSid ringing();

    protected abstract void hangUp(CallSid call);

    /** The hops at whose continue URLs Twilio has asked for that call, in this order. */
    protected abstract List<Integer> continuedAt(CallSid call);

    /** Lets time go by until it is so; fails if that takes longer than anything here may. */
    protected abstract void await(BooleanSupplier so);

    private CallStatus status(CallSid call) {
        return telephony().status(tenant(ACME), call);
    }

    private boolean sendOn(CallSid call, int hop) {
        return telephony().sendToContinue(tenant(ACME), call, hop);
    }

    @Test
    void a_call_that_was_answered_is_in_progress() {
        assertThat(status(talking())).isEqualTo(new CallStatus.Live("in-progress"));
    }

    @Test
    void a_call_that_is_sent_on_asks_where_to_go_from_that_hop_each_time_that_it_is_told() {
        CallSid call = talking();

        assertThat(sendOn(call, 1)).isTrue();
        await(() -> continuedAt(call).equals(List.of(1)));

        assertThat(sendOn(call, 1)).isTrue();
        await(() -> continuedAt(call).equals(List.of(1, 1)));
        assertThat(status(call)).isEqualTo(new CallStatus.Live("in-progress"));
    }

    @Test
    void a_call_that_still_rings_is_not_sent_on() {
        CallSid call = ringing();

        assertThat(status(call)).isEqualTo(new CallStatus.Live("ringing"));
        assertThat(sendOn(call, 1)).isFalse();
        assertThat(continuedAt(call)).isEmpty();
    }

    @Test
    void a_call_that_is_over_says_how_it_ended_and_is_not_sent_on() {
        CallSid call = talking();

        hangUp(call);
        await(() -> status(call) instanceof CallStatus.Over);

        assertThat(status(call)).isEqualTo(new CallStatus.Over(FinalStatus.COMPLETED));
        assertThat(sendOn(call, 1)).isFalse();
        assertThat(continuedAt(call)).isEmpty();
    }

    @Test
    void a_call_that_nobody_made_is_unknown() {
        assertThat(status(UNKNOWN)).isEqualTo(new CallStatus.Unknown());
        assertThat(sendOn(UNKNOWN, 1)).isFalse();
    }

    @Test
    void a_call_of_one_tenant_is_unknown_to_another() {
        CallSid call = talking();

        assertThat(telephony().status(tenant(BLOOM), call)).isEqualTo(new CallStatus.Unknown());
        assertThat(telephony().sendToContinue(tenant(BLOOM), call, 1)).isFalse();
        assertThat(continuedAt(call)).isEmpty();
    }
}
