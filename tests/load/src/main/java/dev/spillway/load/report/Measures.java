package dev.spillway.load.report;

import dev.spillway.load.ledger.Outcome;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What rules may be about, by name. What was not observed is null. */
public final class Measures {
    /** The names, with their meaning. */
    public static final Map<String, String> NAMES = names();

    private Measures() {}

    private static Map<String, String> names() {
        Map<String, String> names = new LinkedHashMap<>();
        names.put("missingRows", "scheduled arrivals without a row");
        names.put("generatorDropped", "arrivals that the generator had no room for");
        names.put("generatorDroppedShare", "the same, of all scheduled");
        names.put("notAttempted", "arrivals not attempted, or canceled, because the run was stopped");
        names.put("startLatenessP50Ms", "from due to started, median");
        names.put("startLatenessP99Ms", "from due to started, 99th percentile");
        names.put("startLatenessMaxMs", "from due to started, longest");
        names.put("framesLateShare", "frames that the generator sent more than 5 ms late, of all frames");
        names.put("completedShareOfScheduled", "completed, of all scheduled");
        names.put("completedShareOfStarted", "completed, of all started");
        names.put("rejectedShareOfStarted", "refused by the service, of all started");
        names.put("timeoutShareOfStarted", "timed out, of all started");
        names.put("errorShareOfStarted", "adapter-error, connection-refused or unknown, of all started");
        names.put("responseP50Ms", "response latency, median");
        names.put("responseP90Ms", "response latency, 90th percentile");
        names.put("responseP99Ms", "response latency, 99th percentile");
        names.put("answerFromScheduledP90Ms", "from due to the first audio, 90th percentile");
        names.put("answerFromScheduledMaxMs", "from due to the first audio, longest");
        names.put("longestGapMs", "longest silence over one second in which something was due; none is 0");
        names.put(
                "handOffGapP99Ms",
                "from a container's last frame to the next one's first sound at a hand-off, without Twilio's webhook");
        names.put("gapsPerCall", "silences over one second, per call that was seen");
        names.put("correctnessFailures", "turns with speech of a wrong generation, and utterances of a wrong persona");
        names.put("unansweredTurns", "turns without an answer, of callers who stayed for two more seconds");
        names.put("outboundWaitP90Ms", "from POST /calls to the dial, 90th percentile");
        names.put("queueAgeMaxSeconds", "longest that a held call, or a call out, was seen to wait");
        names.put("recoverySeconds", "from the last arrival to the baseline");
        return Collections.unmodifiableMap(names);
    }

    static Map<String, @Nullable Double> of(Run run, Figures figures) {
        Map<String, @Nullable Double> values = new LinkedHashMap<>();
        int scheduled = figures.scheduled();
        int started = figures.started();
        int stopped = figures.count(Outcome.NOT_ATTEMPTED)
                + figures.count(Outcome.CANCELED)
                + figures.count(Outcome.CANCELED_BEFORE_START);
        int errors = figures.count(Outcome.ADAPTER_ERROR)
                + figures.count(Outcome.CONNECTION_REFUSED)
                + figures.count(Outcome.UNKNOWN);
        Spread lateness = figures.startLateness();
        Spread responses = figures.responses();
        values.put("missingRows", (double) figures.missing());
        values.put("generatorDropped", (double) figures.count(Outcome.GENERATOR_DROPPED));
        values.put("generatorDroppedShare", share(figures.count(Outcome.GENERATOR_DROPPED), scheduled));
        values.put("notAttempted", (double) stopped);
        values.put("startLatenessP50Ms", lateness.percentile(50));
        values.put("startLatenessP99Ms", lateness.percentile(99));
        values.put("startLatenessMaxMs", lateness.max());
        values.put("framesLateShare", figures.framesLateShare());
        values.put("completedShareOfScheduled", share(figures.count(Outcome.COMPLETED), scheduled));
        values.put("completedShareOfStarted", share(figures.count(Outcome.COMPLETED), started));
        values.put("rejectedShareOfStarted", share(figures.count(Outcome.REJECTED), started));
        values.put("timeoutShareOfStarted", share(figures.count(Outcome.TIMEOUT), started));
        values.put("errorShareOfStarted", share(errors, started));
        values.put("responseP50Ms", responses.percentile(50));
        values.put("responseP90Ms", responses.percentile(90));
        values.put("responseP99Ms", responses.percentile(99));
        values.put("answerFromScheduledP90Ms", figures.answerFromScheduled().percentile(90));
        values.put("answerFromScheduledMaxMs", figures.answerFromScheduled().max());
        boolean heard = figures.hasTurns();
        values.put(
                "longestGapMs",
                heard ? Objects.requireNonNullElse(figures.gapLengths().max(), 0.0) : null);
        values.put(
                "gapsPerCall",
                heard ? share(figures.gaps().size(), figures.calls().size()) : null);
        values.put("handOffGapP99Ms", figures.handOffGaps().percentile(99));
        values.put("correctnessFailures", heard ? Double.valueOf(figures.incorrect()) : null);
        values.put("unansweredTurns", heard ? Double.valueOf(figures.unansweredTurns()) : null);
        values.put("outboundWaitP90Ms", figures.outboundWait().percentile(90));
        values.put("queueAgeMaxSeconds", queueAge(run.looks()));
        values.put(
                "recoverySeconds",
                run.note("recovery")
                        .filter(note -> note.path("reached").asBoolean())
                        .map(note -> note.path("seconds").doubleValue())
                        .orElse(null));
        return values;
    }

    /** Null if no look saw whether anything was held; 0 if all looks saw that nothing was. */
    static @Nullable Double queueAge(List<Run.Look> looks) {
        Double oldest = null;
        for (Run.Look look : looks) {
            Double age = look.inventory().queueAge();
            if (age != null) {
                oldest = oldest == null ? age : Math.max(oldest, age);
            }
        }
        return oldest;
    }

    private static @Nullable Double share(int part, int whole) {
        return whole == 0 ? null : Double.valueOf((double) part / whole);
    }
}
