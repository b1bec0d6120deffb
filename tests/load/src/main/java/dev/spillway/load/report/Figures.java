package dev.spillway.load.report;

import dev.spillway.load.ledger.Evidence;
import dev.spillway.load.ledger.Evidence.CallSeen;
import dev.spillway.load.ledger.Evidence.Gap;
import dev.spillway.load.ledger.Evidence.Request;
import dev.spillway.load.ledger.Evidence.TurnSeen;
import dev.spillway.load.ledger.Outcome;
import dev.spillway.load.ledger.Row;
import dev.spillway.load.replay.StopRules;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The figures of a run, each of one named population: scheduled arrivals, started calls, turns of callers, or requests to the
 * service. Every scheduled arrival is in exactly one outcome, or missing.
 */
public final class Figures {
    private final List<Row> rows;
    private final int scheduled;
    private final Map<Outcome, Integer> outcomes = new EnumMap<>(Outcome.class);
    private final List<TurnSeen> turns = new ArrayList<>();
    private final List<Request> requests = new ArrayList<>();
    private final List<Gap> gaps = new ArrayList<>();
    private final List<CallSeen> calls = new ArrayList<>();
    private final int incorrect;

    /**
     * @param scheduled arrivals in the schedule
     * @throws IllegalArgumentException if there are rows that no arrival of the schedule explains, or two for one
     */
    public Figures(int scheduled, List<Row> rows) {
        this.scheduled = scheduled;
        this.rows = List.copyOf(rows);
        long identities = rows.stream().map(Row::id).distinct().count();
        if (identities != rows.size() || rows.stream().anyMatch(row -> row.id() < 0 || row.id() >= scheduled)) {
            throw new IllegalArgumentException(
                    rows.size() + " rows with " + identities + " identities for " + scheduled + " scheduled arrivals");
        }
        int wrong = 0;
        for (Row row : rows) {
            outcomes.merge(row.outcome(), 1, Integer::sum);
            wrong += StopRules.incorrect(row);
            Evidence evidence = row.evidence();
            if (evidence != null) {
                turns.addAll(evidence.turns());
                requests.addAll(evidence.requests());
                gaps.addAll(evidence.gaps());
                if (evidence.call() != null) {
                    calls.add(evidence.call());
                }
            }
        }
        this.incorrect = wrong;
    }

    public int scheduled() {
        return scheduled;
    }

    public List<Row> rows() {
        return rows;
    }

    /** Of the calls of that class alone. What is missing of them is not known: a row that is not there has no class. */
    public Figures ofClass(String name) {
        return new Figures(
                scheduled,
                rows.stream().filter(row -> row.className().equals(name)).toList());
    }

    /** Scheduled arrivals of which nothing is known. */
    public int missing() {
        return scheduled - rows.size();
    }

    public int count(Outcome outcome) {
        return outcomes.getOrDefault(outcome, 0);
    }

    public Map<Outcome, Integer> outcomes() {
        return new EnumMap<>(outcomes);
    }

    public int started() {
        return (int) rows.stream().filter(row -> row.started() != null).count();
    }

    /** From when an arrival was due to when it started. */
    public Spread startLateness() {
        return spread(row -> row.started() == null ? null : row.started() - row.scheduled());
    }

    /** Callers' turns that were answered; where there are no turns, completed operations from their start to their end. */
    public Spread responses() {
        return Spread.of(responseNanos());
    }

    /** What {@link #responses} is about. */
    public String responsePopulation() {
        return hasTurns() ? "answered turns of callers" : "completed operations";
    }

    boolean hasTurns() {
        return !calls.isEmpty();
    }

    private List<Long> responseNanos() {
        if (hasTurns()) {
            List<Long> nanos = new ArrayList<>();
            for (TurnSeen turn : turns) {
                if (turn.spoken() != null && turn.answered() != null) {
                    nanos.add(turn.answered() - turn.spoken());
                }
            }
            return nanos;
        }
        return rows.stream()
                .map(Figures::completedNanos)
                .filter(Objects::nonNull)
                .toList();
    }

    private static @Nullable Long completedNanos(Row row) {
        return row.outcome() == Outcome.COMPLETED && row.started() != null && row.finished() != null
                ? Long.valueOf(row.finished() - row.started())
                : null;
    }

    /** One response, and when it came. */
    record Response(long at, long nanos) {}

    List<Response> responsesInTime() {
        List<Response> all = new ArrayList<>();
        for (TurnSeen turn : hasTurns() ? turns : List.<TurnSeen>of()) {
            if (turn.spoken() != null && turn.answered() != null) {
                all.add(new Response(turn.answered(), turn.answered() - turn.spoken()));
            }
        }
        for (Row row : hasTurns() ? List.<Row>of() : rows) {
            Long nanos = completedNanos(row);
            if (nanos != null && row.finished() != null) {
                all.add(new Response(row.finished(), nanos));
            }
        }
        return all;
    }

    /** From when it was due to the first audio received, of completed calls: a busy message is no answer. */
    public Spread answerFromScheduled() {
        return spread(row -> row.firstAudio() == null || row.outcome() != Outcome.COMPLETED
                ? null
                : row.firstAudio() - row.scheduled());
    }

    /** From its actual start to the first audio received, of completed calls. */
    public Spread answerFromStart() {
        return spread(row -> row.firstAudio() == null || row.started() == null || row.outcome() != Outcome.COMPLETED
                ? null
                : row.firstAudio() - row.started());
    }

    /** How long those that timed out were waited for: a lower bound, never a latency. */
    public Spread timeoutsWaited() {
        return spread(row -> row.outcome() == Outcome.TIMEOUT && row.finished() != null && row.started() != null
                ? row.finished() - row.started()
                : null);
    }

    private Spread spread(Function<Row, @Nullable Long> nanos) {
        List<Long> values = new ArrayList<>();
        for (Row row : rows) {
            Long value = nanos.apply(row);
            if (value != null) {
                values.add(value);
            }
        }
        return Spread.of(values);
    }

    public List<TurnSeen> turns() {
        return List.copyOf(turns);
    }

    public List<Request> requests() {
        return List.copyOf(requests);
    }

    public List<CallSeen> calls() {
        return List.copyOf(calls);
    }

    /** Silences of more than a second. */
    public List<Gap> gaps() {
        return List.copyOf(gaps);
    }

    public Spread gapLengths() {
        return Spread.of(gaps.stream().map(Gap::nanos).toList());
    }

    /** What callers hear of hand-offs: see {@link Evidence.HandOff}. */
    public Spread handOffGaps() {
        return Spread.of(rows.stream()
                .map(Row::evidence)
                .filter(Objects::nonNull)
                .flatMap(evidence -> evidence.handOffs().stream())
                .map(Evidence.HandOff::nanos)
                .toList());
    }

    /** Turns with speech of a wrong generation, and utterances of a wrong persona. */
    public int incorrect() {
        return incorrect;
    }

    public int staleTurns() {
        return (int) turns.stream().filter(turn -> turn.staleFrames() > 0).count();
    }

    public int wrongPersona() {
        return calls.stream().mapToInt(CallSeen::wrongPersona).sum();
    }

    public Spread outboundWait() {
        return Spread.of(
                calls.stream().map(CallSeen::waitNanos).filter(Objects::nonNull).toList());
    }

    /**
     * Turns that were spoken to their end and not answered, although the caller stayed for two more seconds: a hang-up right
     * after a turn leaves no time for an answer.
     */
    public int unansweredTurns() {
        int unanswered = 0;
        for (Row row : rows) {
            Evidence evidence = row.evidence();
            Long end = row.finished();
            for (TurnSeen turn : evidence == null ? List.<TurnSeen>of() : evidence.turns()) {
                boolean stayed = turn.repeats() > 0
                        || (turn.spoken() != null
                                && end != null
                                && end - turn.spoken() > Outcome.TIME_FOR_AN_ANSWER.toNanos());
                unanswered += turn.spoken() != null && turn.answered() == null && stayed ? 1 : 0;
            }
        }
        return unanswered;
    }

    /** Null without any frame. */
    public @Nullable Double framesLateShare() {
        long sent = calls.stream().mapToLong(CallSeen::framesSent).sum();
        return sent == 0
                ? null
                : (double) calls.stream().mapToLong(CallSeen::framesLate).sum() / sent;
    }

    /** When the last operation ended; nanoseconds since the start, 0 without any. */
    public long lastEnd() {
        return rows.stream()
                .map(Row::finished)
                .filter(Objects::nonNull)
                .mapToLong(Long::longValue)
                .max()
                .orElse(0);
    }

    /** When the last of all operations ended, or the last was due; nanoseconds since the start. */
    long end() {
        long end = 0;
        for (Row row : rows) {
            end = Math.max(end, row.finished() == null ? row.scheduled() : row.finished());
        }
        return end;
    }
}
