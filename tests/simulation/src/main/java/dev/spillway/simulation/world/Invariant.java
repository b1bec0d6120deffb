package dev.spillway.simulation.world;

/** What has to hold at every time, in the words and the order of the design. */
public enum Invariant {
    LIMIT("a container never has more calls than its limit; a slot never has two calls"),
    NEVER_STOPPED_AT_WORK("no container with a live call, setup, relay or cleanup is stopped by us"),
    OWNED("every answered call keeps an owner: each caller is connected again or told"),
    ONE_OUTCOME("every attempt is written before it is decided and ends in exactly one terminal outcome"),
    OLD_NOTICES("a notice of an old hop or generation changes nothing"),
    STATES("DRAINED, STOPPING and LOST never become READY"),
    SETTLES("when calls stop, claims go to zero, nothing is held, and the pool goes to its minimum"),
    APART("one tenant's burst never takes another's containers, nor more than its share of the gateway"),
    DIALLED_ONCE("nobody is dialled twice for one job, and each job knows its own call"),
    OUTBOUND_LIMIT("no more calls out than allowed, wherever they talk"),
    RESERVE("whoever is dialled has a slot, and none that is reserved for callers"),
    JOBS_END("each job ends exactly once, in time, and what its dial held is free again"),
    ORDERS("an operator's order holds while it is in force, and ends"),
    ONE_HOLDER("whoever has lost a pool's lease changes nothing"),
    /** Not of the design: a flow let an exception through that no dependency threw. */
    NO_SURPRISE("no flow fails of itself");

    private final String words;

    Invariant(String words) {
        this.words = words;
    }

    String words() {
        return words;
    }
}
