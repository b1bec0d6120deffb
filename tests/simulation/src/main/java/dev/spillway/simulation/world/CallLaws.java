package dev.spillway.simulation.world;

import dev.spillway.core.call.Call;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.memory.MemoryTable;
import dev.spillway.core.tenant.TenantId;
import java.util.Objects;
import java.util.Optional;

/** The invariants of calls: looked at with every write to a call's record. */
final class CallLaws {
    private final MemoryTable table;
    private final Laws laws;

    CallLaws(MemoryTable table, Laws laws) {
        this.table = table;
        this.laws = laws;
    }

    /** Looks at each write to a call's record. */
    Gate.Witness ofCalls() {
        return (method, arguments) -> {
            if (Laws.isRead(method) || arguments.length < 2) {
                return result -> {};
            }
            TenantId tenant = (TenantId) arguments[0];
            CallSid sid = (CallSid) arguments[1];
            Optional<Call> before = table.peek(tenant, sid);
            return result -> {
                laws.wrote();
                Optional<Call> after = table.peek(tenant, sid);
                if (before.isPresent() && after.isPresent()) {
                    changed(before.get(), after.get());
                    laws.require(
                            !method.getName().equals("end")
                                    || before.get().outcome() == null
                                    || Boolean.FALSE.equals(result),
                            Invariant.ONE_OUTCOME,
                            () -> sid + " ended twice: as " + before.get().outcome() + " and as "
                                    + after.get().outcome());
                }
            };
        };
    }

    private void changed(Call before, Call after) {
        String call = "call " + after.sid();
        laws.require(
                before.outcome() == null || before.outcome() == after.outcome(),
                Invariant.ONE_OUTCOME,
                () -> call + " ended as " + before.outcome() + " and then as " + after.outcome());
        laws.require(
                after.hop() >= before.hop() && after.connectedHop() >= before.connectedHop(),
                Invariant.OLD_NOTICES,
                () -> call + " went from hop " + before.hop() + " (connected " + before.connectedHop() + ") back to "
                        + after.hop() + " (" + after.connectedHop() + ")");
        before.answers()
                .forEach((hop, answer) -> laws.require(
                        (hop == after.hop() && before.connectedHop() < hop)
                                || Objects.equals(after.answers().get(hop), answer),
                        Invariant.OLD_NOTICES,
                        () -> call + " had an answer for hop " + hop + ", and has another one now"));
        laws.require(
                before.outcome() == null || after.hop() == before.hop(),
                Invariant.OLD_NOTICES,
                () -> call + " was placed after its end");
    }
}
