package dev.spillway.core.memory;

import dev.spillway.core.DependencyException;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.CallStatus;
import dev.spillway.core.call.Telephony;
import dev.spillway.core.tenant.Tenant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** Twilio as records: every call is in progress unless the test says otherwise. */
public final class MemoryTelephony implements Telephony {
    private final Map<CallSid, CallStatus> statuses = new ConcurrentHashMap<>();
    private final Set<CallSid> failing = ConcurrentHashMap.newKeySet();
    private final List<String> sent = new CopyOnWriteArrayList<>();
    private final List<CallSid> asked = new CopyOnWriteArrayList<>();

    /** Twilio says this of the call from now on. */
    public void put(CallSid call, CallStatus status) {
        failing.remove(call);
        statuses.put(call, status);
    }

    /** Twilio does not answer for this call. */
    public void fail(CallSid call) {
        failing.add(call);
    }

    /** {@code tenant CallSid hop} of every call that was sent to its continue URL, in order. */
    public List<String> sent() {
        return List.copyOf(sent);
    }

    /** The calls whose status was asked for, in order. */
    public List<CallSid> asked() {
        return List.copyOf(asked);
    }

    @Override
    public boolean sendToContinue(Tenant tenant, CallSid call, int hop) {
        answer(call);
        if (!(statuses.getOrDefault(call, new CallStatus.Live("in-progress")) instanceof CallStatus.Live)) {
            return false;
        }
        return sent.add(tenant.id() + " " + call + " " + hop);
    }

    @Override
    public CallStatus status(Tenant tenant, CallSid call) {
        asked.add(call);
        answer(call);
        return statuses.getOrDefault(call, new CallStatus.Live("in-progress"));
    }

    private void answer(CallSid call) {
        if (failing.contains(call)) {
            throw new DependencyException("twilio", "no answer", new IllegalStateException("as the test asked"));
        }
    }
}
