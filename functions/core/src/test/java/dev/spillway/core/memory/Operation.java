package dev.spillway.core.memory;

/** What can be asked of the memory table and its fleet, by port and method. */
public enum Operation {
    POOLS_READ(Kind.READ),
    POOLS_DESIRE(Kind.WRITE),
    POOLS_NOTE(Kind.WRITE),
    POOLS_RESTART_IDLE_WINDOW(Kind.WRITE),
    POOLS_LOCK_SCALE_IN(Kind.WRITE),
    POOLS_FORGET(Kind.WRITE),
    POOLS_RECORD_LAUNCHES(Kind.WRITE),
    POOLS_RECORD_SILENCE(Kind.WRITE),
    POOLS_ORDER(Kind.WRITE),
    POOLS_END_ORDER(Kind.WRITE),
    ORDERS_WRITE(Kind.WRITE),
    ORDERS_NEWEST(Kind.READ),
    CONTAINERS_CLOSE_UNTIL(Kind.WRITE),
    CONTAINERS_FIND(Kind.READ),
    CONTAINERS_CLAIM(Kind.WRITE),
    CONTAINERS_RELEASE(Kind.WRITE),
    CONTAINERS_RENAME(Kind.WRITE),
    CONTAINERS_COOL_DOWN(Kind.WRITE),
    CONTAINERS_ANNOUNCE(Kind.WRITE),
    CONTAINERS_BECOME(Kind.WRITE),
    CONTAINERS_ALLOW_EXIT(Kind.WRITE),
    CONTAINERS_REMOVE(Kind.WRITE),
    CONTAINERS_REGISTER(Kind.WRITE),
    CONTAINERS_HEARTBEAT(Kind.WRITE),
    CONTAINERS_CONNECT(Kind.WRITE),
    CONTAINERS_ADMIT(Kind.WRITE),
    CONTAINERS_END(Kind.WRITE),
    CALLS_BEGIN(Kind.WRITE),
    CALLS_FIND(Kind.READ),
    CALLS_PLACE(Kind.WRITE),
    CALLS_OFFER(Kind.WRITE),
    CALLS_WITHDRAW(Kind.WRITE),
    CALLS_CONNECT(Kind.WRITE),
    CALLS_ADOPT(Kind.WRITE),
    CALLS_BELONG(Kind.WRITE),
    CALLS_TELL(Kind.WRITE),
    CALLS_FINISH(Kind.WRITE),
    CALLS_END(Kind.WRITE),
    ATTEMPTS_PAGE(Kind.READ),
    ATTEMPTS_OUTLINES(Kind.READ),
    ATTEMPTS_FIND(Kind.READ),
    LEASES_TAKE(Kind.WRITE),
    LEASES_GIVE_BACK(Kind.WRITE),
    LEASES_COMPLETE(Kind.WRITE),
    LEASES_MAY_ALERT(Kind.WRITE),
    LINES_LEAD(Kind.WRITE),
    LINES_EXTEND(Kind.WRITE),
    LINES_ENTER(Kind.WRITE),
    LINES_LEAVE(Kind.WRITE),
    LINES_WITHDRAW(Kind.WRITE),
    LINES_WATCH(Kind.WRITE),
    JOBS_CREATE(Kind.WRITE),
    JOBS_FIND(Kind.READ),
    JOBS_ANY_AT_HAND(Kind.READ),
    JOBS_AT_HAND(Kind.READ),
    JOBS_REPLACE(Kind.WRITE),
    JOBS_PUT_BY(Kind.WRITE),
    JOBS_REMEMBER(Kind.WRITE),
    JOBS_SUBMISSION(Kind.READ),
    TENANTS_FIND(Kind.READ),
    TENANTS_ALL(Kind.READ),
    FLEET_DESCRIBE(Kind.FLEET),
    FLEET_TASKS(Kind.FLEET),
    FLEET_SET_DESIRED(Kind.FLEET_WRITE);

    /** What it costs, and whom. */
    public enum Kind {
        READ,
        WRITE,
        FLEET,
        FLEET_WRITE
    }

    private final Kind kind;

    Operation(Kind kind) {
        this.kind = kind;
    }

    public Kind kind() {
        return kind;
    }

    /** Whether it changes the table or the fleet. */
    public boolean changes() {
        return kind == Kind.WRITE || kind == Kind.FLEET_WRITE;
    }
}
