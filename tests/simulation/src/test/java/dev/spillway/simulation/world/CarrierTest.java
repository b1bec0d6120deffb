package dev.spillway.simulation.world;

import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.Telephony;
import dev.spillway.core.contract.TelephonyContract;
import dev.spillway.core.memory.Sample;
import dev.spillway.core.tenant.Tenant;
import dev.spillway.core.tenant.TenantId;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The simulated Twilio keeps the contract that the real one's adapter does. */
class CarrierTest extends TelephonyContract {
    private static final long HOUR = 3_600_000_000L;
    private final CalmWorld calm = new CalmWorld(0);
    private final Map<CallSid, PhoneCall> callers = new HashMap<>();

    @Override
    protected Telephony telephony() {
        return calm.world().carrier();
    }

    @Override
    protected Tenant tenant(TenantId id) {
        return CalmWorld.tenant(id);
    }

    private PhoneCall calling() {
        int number = callers.size() + 1;
        PhoneCall call = new PhoneCall(Sample.call(number), Sample.ACME, number, HOUR, HOUR, false);
        callers.put(call.sid(), call);
        calm.world().carrier().expect(call, calm.scheduler().now());
        return call;
    }

    @Override
    protected CallSid talking() {
        PhoneCall call = calling();
        await(call::isHeard);
        return call.sid();
    }

    @Override
    protected CallSid ringing() {
        PhoneCall call = calling();
        calm.scheduler().run(calm.scheduler().now() + 1_000); // a webhook takes longer
        return call.sid();
    }

    @Override
    protected void hangUp(CallSid call) {
        calm.world().carrier().hangUp(Objects.requireNonNull(callers.get(call)));
    }

    /** A function's trace tells who invoked it. */
    @Override
    protected List<Integer> continuedAt(CallSid call) {
        Pattern invocation =
                Pattern.compile("continue of " + Functions.tail(call) + " after hop ([0-9]+)( no\\. [0-9]+)? flow");
        return calm.world().trace().lines().stream()
                .flatMap(line -> invocation.matcher(line).results())
                .collect(Collectors.toMap(
                        MatchResult::group, found -> Integer.valueOf(found.group(1)), (a, b) -> a, LinkedHashMap::new))
                .values()
                .stream()
                .toList();
    }

    @Override
    protected void await(BooleanSupplier so) {
        calm.await(so);
    }
}
