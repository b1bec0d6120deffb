package dev.spillway.load.ledger;

import com.fasterxml.jackson.databind.JsonNode;
import dev.spillway.load.ledger.Evidence.CallSeen;
import dev.spillway.load.ledger.Evidence.Gap;
import dev.spillway.load.ledger.Evidence.HandOff;
import dev.spillway.load.ledger.Evidence.Request;
import dev.spillway.load.ledger.Evidence.TurnSeen;
import dev.spillway.load.schedule.Direction;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A row as one line of JSON. Times are milliseconds with six decimals, so that nothing is lost; what was not observed is
 * null, and never 0. Written by hand: a run may have thousands of rows in a second.
 */
public final class RowJson {
    private static final String[] PLACES = {"", "0", "00", "000", "0000", "00000"};

    private RowJson() {}

    /** Appends the members of the row, without braces. */
    public static void write(Row row, StringBuilder to) {
        to.append("\"id\":").append(row.id()).append(",\"class\":");
        text(row.className(), to);
        to.append(",\"direction\":\"").append(row.direction().text()).append("\",\"scheduled\":");
        millis(row.scheduled(), to);
        to.append(",\"started\":");
        millis(row.started(), to);
        to.append(",\"firstAudio\":");
        millis(row.firstAudio(), to);
        to.append(",\"finished\":");
        millis(row.finished(), to);
        to.append(",\"outcome\":\"").append(row.outcome().text()).append("\",\"detail\":");
        text(row.detail(), to);
        to.append(",\"retryOf\":").append(row.retryOf());
        Evidence evidence = row.evidence();
        if (evidence != null) {
            write(evidence, to);
        }
    }

    private static void write(Evidence evidence, StringBuilder to) {
        to.append(",\"turns\":[");
        for (TurnSeen turn : evidence.turns()) {
            separate(to).append("{\"n\":").append(turn.number()).append(",\"spoken\":");
            millis(turn.spoken(), to);
            to.append(",\"answered\":");
            millis(turn.answered(), to);
            to.append(",\"manner\":\"")
                    .append(turn.manner())
                    .append("\",\"repeats\":")
                    .append(turn.repeats());
            to.append(",\"stale\":").append(turn.staleFrames()).append('}');
        }
        to.append("],\"gaps\":[");
        for (Gap gap : evidence.gaps()) {
            separate(to).append("{\"from\":");
            millis(gap.from(), to);
            to.append(",\"length\":");
            millis(gap.nanos(), to);
            to.append('}');
        }
        if (!evidence.handOffs().isEmpty()) {
            to.append("],\"handOffs\":[");
            for (HandOff handOff : evidence.handOffs()) {
                separate(to).append("{\"from\":");
                millis(handOff.from(), to);
                to.append(",\"gap\":");
                millis(handOff.nanos(), to);
                to.append('}');
            }
        }
        to.append("],\"requests\":[");
        for (Request request : evidence.requests()) {
            separate(to).append("{\"name\":");
            text(request.name(), to);
            to.append(",\"at\":");
            millis(request.at(), to);
            to.append(",\"took\":");
            millis(request.nanos(), to);
            to.append(",\"status\":")
                    .append(request.status())
                    .append(",\"error\":")
                    .append(request.error())
                    .append('}');
        }
        to.append(']');
        CallSeen call = evidence.call();
        if (call != null) {
            write(call, to);
        }
    }

    private static void write(CallSeen call, StringBuilder to) {
        to.append(",\"call\":{\"sid\":");
        text(call.sid(), to);
        to.append(",\"tenant\":");
        text(call.tenant(), to);
        to.append(",\"moves\":").append(call.moves()).append(",\"framesSent\":").append(call.framesSent());
        to.append(",\"framesLate\":").append(call.framesLate()).append(",\"worstFrame\":");
        millis(call.worstFrameNanos(), to);
        to.append(",\"heardBytes\":")
                .append(call.heardBytes())
                .append(",\"wrongPersona\":")
                .append(call.wrongPersona());
        to.append(",\"gateway\":");
        millis(call.gatewayNanos(), to);
        to.append(",\"wait\":");
        millis(call.waitNanos(), to);
        to.append(",\"end\":");
        text(call.end(), to);
        to.append('}');
    }

    private static StringBuilder separate(StringBuilder to) {
        return to.charAt(to.length() - 1) == '[' ? to : to.append(',');
    }

    /** Milliseconds without trailing zeros, or null. */
    static void millis(@Nullable Long nanos, StringBuilder to) {
        if (nanos == null) {
            to.append("null");
            return;
        }
        long value = nanos;
        if (value < 0) {
            to.append('-');
            value = -value;
        }
        to.append(value / 1_000_000);
        int rest = (int) (value % 1_000_000);
        if (rest != 0) {
            String digits = Integer.toString(rest);
            int end = digits.length();
            while (digits.charAt(end - 1) == '0') {
                end--;
            }
            to.append('.').append(PLACES[6 - digits.length()]).append(digits, 0, end);
        }
    }

    static void text(String value, StringBuilder to) {
        to.append('"');
        for (int i = 0; i < value.length(); i++) {
            char letter = value.charAt(i);
            if (letter == '"' || letter == '\\') {
                to.append('\\').append(letter);
            } else if (letter < ' ') {
                to.append(String.format(Locale.ROOT, "\\u%04x", (int) letter));
            } else {
                to.append(letter);
            }
        }
        to.append('"');
    }

    /** @throws IllegalArgumentException if it is no row */
    public static Row read(JsonNode node) {
        Outcome outcome = Outcome.parse(node.path("outcome").asText())
                .orElseThrow(() -> new IllegalArgumentException("no outcome: " + node.path("outcome")));
        JsonNode retryOf = node.path("retryOf");
        return new Row(
                node.path("id").asInt(),
                node.path("class").asText(),
                node.path("direction").asText().equals(Direction.OUTBOUND.text())
                        ? Direction.OUTBOUND
                        : Direction.INBOUND,
                known(node, "scheduled"),
                nanos(node, "started"),
                nanos(node, "firstAudio"),
                nanos(node, "finished"),
                outcome,
                node.path("detail").asText(),
                retryOf.isNumber() ? Integer.valueOf(retryOf.asInt()) : null,
                node.has("turns") ? evidence(node) : null);
    }

    private static Evidence evidence(JsonNode node) {
        List<TurnSeen> turns = new ArrayList<>();
        for (JsonNode turn : node.path("turns")) {
            turns.add(new TurnSeen(
                    turn.path("n").asInt(),
                    nanos(turn, "spoken"),
                    nanos(turn, "answered"),
                    turn.path("manner").asText(),
                    turn.path("repeats").asInt(),
                    turn.path("stale").asInt()));
        }
        List<Gap> gaps = new ArrayList<>();
        for (JsonNode gap : node.path("gaps")) {
            gaps.add(new Gap(known(gap, "from"), known(gap, "length")));
        }
        List<HandOff> handOffs = new ArrayList<>();
        for (JsonNode handOff : node.path("handOffs")) {
            handOffs.add(new HandOff(known(handOff, "from"), known(handOff, "gap")));
        }
        List<Request> requests = new ArrayList<>();
        for (JsonNode request : node.path("requests")) {
            requests.add(new Request(
                    request.path("name").asText(),
                    known(request, "at"),
                    known(request, "took"),
                    request.path("status").asInt(),
                    request.path("error").asInt()));
        }
        JsonNode call = node.path("call");
        return new Evidence(turns, gaps, requests, handOffs, call.isObject() ? call(call) : null);
    }

    private static CallSeen call(JsonNode call) {
        return new CallSeen(
                call.path("sid").asText(),
                call.path("tenant").asText(),
                call.path("moves").asInt(),
                call.path("framesSent").asLong(),
                call.path("framesLate").asLong(),
                known(call, "worstFrame"),
                call.path("heardBytes").asLong(),
                call.path("wrongPersona").asInt(),
                nanos(call, "gateway"),
                nanos(call, "wait"),
                call.path("end").asText());
    }

    private static @Nullable Long nanos(JsonNode node, String key) {
        JsonNode value = node.path(key);
        return value.isNumber() ? Long.valueOf(Math.round(value.doubleValue() * 1e6)) : null;
    }

    private static long known(JsonNode node, String key) {
        JsonNode value = node.path(key);
        if (!value.isNumber()) {
            throw new IllegalArgumentException(key + " is no time");
        }
        return Math.round(value.doubleValue() * 1e6);
    }
}
