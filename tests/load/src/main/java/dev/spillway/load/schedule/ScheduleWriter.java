package dev.spillway.load.schedule;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Iterator;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes a schedule as {@link ScheduleReader} reads it: one line for each arrival, so that a fault can be pointed at. */
public final class ScheduleWriter {
    private static final ObjectMapper JSON = new ObjectMapper();

    private ScheduleWriter() {}

    /** Times are rounded to the microsecond. */
    public static String write(Schedule schedule) {
        ObjectNode head = JSON.createObjectNode();
        head.put("schedule", 1).put("name", schedule.name()).put("question", schedule.question());
        head.put("unit", "seconds").put("seed", schedule.seed()).put("rule", schedule.rule());
        if (schedule.clockRule() != null) {
            head.put("clockRule", schedule.clockRule());
        }
        start(schedule.start(), head);
        ObjectNode classes = head.putObject("classes");
        schedule.classes().forEach((name, one) -> classes.set(name, callClass(one)));
        if (!schedule.waves().isEmpty()) {
            ArrayNode waves = head.putArray("waves");
            schedule.waves().forEach(wave -> waves.add(number(wave)));
        }
        head.put("quiet_after", number(schedule.quietAfter()));
        StringBuilder text = new StringBuilder("{\n");
        for (Map.Entry<String, com.fasterxml.jackson.databind.JsonNode> entry : head.properties()) {
            text.append(" \"")
                    .append(entry.getKey())
                    .append("\": ")
                    .append(entry.getValue())
                    .append(",\n");
        }
        text.append(" \"arrivals\": [\n");
        for (Iterator<Arrival> arrivals = schedule.arrivals().iterator(); arrivals.hasNext(); ) {
            text.append("  ").append(arrival(arrivals.next())).append(arrivals.hasNext() ? ",\n" : "\n");
        }
        return text.append(" ]\n}\n").toString();
    }

    private static void start(StartConditions start, ObjectNode head) {
        if (!start.equals(StartConditions.NONE)) {
            ObjectNode node = head.putObject("start");
            put(node, "pool", start.pool());
            put(node, "functions", start.functions());
            put(node, "caches", start.caches());
        }
    }

    private static ObjectNode callClass(CallClass one) {
        ObjectNode node = JSON.createObjectNode();
        if (one.turns().stream().allMatch(Turn.PLAIN::equals)) {
            node.put("turns", one.turns().size());
        } else {
            ArrayNode turns = node.putArray("turns");
            one.turns().forEach(turn -> turns.add(turn(turn)));
        }
        put(node, "ending", one.ending() == null ? null : one.ending().text());
        if (one.direction() == Direction.OUTBOUND) {
            node.put("direction", one.direction().text());
        }
        if (one.utterance() != CallClass.USUAL_UTTERANCE) {
            node.put("utterance", number(one.utterance()));
        }
        put(node, "answer", one.answer());
        if (one.pause() != 0) {
            node.put("pause", number(one.pause()));
        }
        put(node, "deadline", one.deadline());
        put(node, "cpu", one.cpu());
        if (!one.tools().isEmpty()) {
            ArrayNode tools = node.putArray("tools");
            one.tools().forEach(tools::add);
        }
        put(node, "language", one.language());
        put(node, "tenant", one.tenant());
        if (!one.synthetic().equals(SyntheticScript.PLAIN)) {
            ObjectNode script = node.putObject("synthetic");
            put(script, "service", one.synthetic().service());
            script.put("result", one.synthetic().result().text());
        }
        return node;
    }

    private static ObjectNode turn(Turn turn) {
        ObjectNode node = JSON.createObjectNode().put("do", turn.manner().text());
        put(node, "utterance", turn.utterance());
        if (turn.manner() != Turn.Manner.SPEAK) {
            node.put("after", number(turn.after()));
        }
        if (!turn.keys().isEmpty()) {
            node.put("keys", turn.keys());
        }
        return node;
    }

    private static ObjectNode arrival(Arrival arrival) {
        ObjectNode node = JSON.createObjectNode().put("at", number(arrival.at()));
        put(node, "duration", arrival.duration());
        node.put("class", arrival.className());
        put(
                node,
                "direction",
                arrival.direction() == null ? null : arrival.direction().text());
        if (arrival.retryOf() != null) {
            node.put("retryOf", arrival.retryOf());
        }
        return node;
    }

    private static void put(ObjectNode node, String key, @Nullable String value) {
        if (value != null) {
            node.put(key, value);
        }
    }

    private static void put(ObjectNode node, String key, @Nullable Double value) {
        if (value != null) {
            node.put(key, number(value));
        }
    }

    private static BigDecimal number(double value) {
        BigDecimal rounded =
                BigDecimal.valueOf(value).setScale(6, RoundingMode.HALF_UP).stripTrailingZeros();
        return rounded.scale() < 0 ? rounded.setScale(0) : rounded;
    }
}
