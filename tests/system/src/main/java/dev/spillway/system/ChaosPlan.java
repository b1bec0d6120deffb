package dev.spillway.system;

import dev.spillway.core.Timing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** What happens to the containers, and when: each fault once or twice, in an order that the seed decides. */
record ChaosPlan(List<Blow> blows) {
    /** Between two blows: longer than a call needs to be talking again. */
    static final Duration APART = Duration.ofSeconds(12);

    enum Fault {
        /** The process is gone at once. */
        KILL("killed with -9"),
        /** It stands still for good, and its connections stay open. */
        FREEZE("frozen"),
        /** A new revision is rolled out. */
        REDEPLOY("redeployed"),
        /** Its line to the table is dead for half the time to the next blow. */
        CUT_OFF("cut off from the table");

        /** From the moment in which it is known that somebody is gone (DESIGN). */
        private static final Duration TO_GO_ON = Duration.ofSeconds(3);

        /** A stream on which nothing comes for so long is told, however fast the rehearsal. */
        private static final Duration RELAYED = Duration.ofSeconds(30);

        private final String text;

        Fault(String text) {
            this.text = text;
        }

        String text() {
            return text;
        }

        /**
         * How long a caller whom it hits may hear nothing: 3 s where the connection breaks. Of a frozen container it is known once its
         * heartbeat has expired and somebody looks; between two looks lies a round and the time to its first look at most, since a
         * schedule fires anywhere in its minute (decision 31). Then it is probed, and the call goes on. Whom it only relays is missed by the container that it relays to, after 30 s of any
         * speed (decision 32). At usual speed that is 116 s at
         * worst, where DESIGN has 60 s as a rule.
         */
        Duration mostSilence(Timing timing) {
            if (this != FREEZE) {
                return TO_GO_ON;
            }
            Duration found = timing.expiry().plus(timing.round()).plus(timing.silenceLook());
            return (found.compareTo(RELAYED) < 0 ? RELAYED : found).plus(TO_GO_ON.multipliedBy(2));
        }
    }

    /** Whose container is hit. */
    enum Where {
        ACME,
        GLOBEX,
        GATEWAY
    }

    record Blow(Duration at, Fault fault, Where where) {}

    ChaosPlan {
        blows = List.copyOf(blows);
    }

    /** @param from when the first blow falls */
    static ChaosPlan of(long seed, Duration from) {
        List<Blow> drawn = new ArrayList<>(List.of(
                new Blow(from, Fault.KILL, Where.ACME),
                new Blow(from, Fault.KILL, Where.GLOBEX),
                new Blow(from, Fault.KILL, Where.GATEWAY),
                new Blow(from, Fault.FREEZE, Where.ACME),
                new Blow(from, Fault.REDEPLOY, Where.GLOBEX),
                new Blow(from, Fault.CUT_OFF, Where.ACME),
                new Blow(from, Fault.CUT_OFF, Where.GLOBEX)));
        Collections.shuffle(drawn, new Random(seed));
        List<Blow> blows = new ArrayList<>();
        for (Blow blow : drawn) {
            blows.add(new Blow(from.plus(APART.multipliedBy(blows.size())), blow.fault(), blow.where()));
        }
        return new ChaosPlan(blows);
    }

    /** When the last blow has fallen and its calls talk again. */
    Duration over() {
        return blows.getLast().at().plus(APART);
    }
}
