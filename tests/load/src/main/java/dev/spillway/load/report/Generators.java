package dev.spillway.load.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What the generators used: one process, or those of several hosts. Counters are subtracted within one process only; what no
 * process told is null.
 *
 * @param cpuCores used on average, of one process
 * @param gcPauses of all processes
 * @param gcPausedMillis of all processes
 */
record Generators(
        int samples,
        int processes,
        @Nullable Double cpuCores,
        @Nullable Long gcPauses,
        @Nullable Long gcPausedMillis,
        List<JsonNode> notes) {

    static Generators of(Run run) {
        List<JsonNode> notes = run.notes("generator");
        Map<String, List<JsonNode>> byProcess = new TreeMap<>();
        notes.forEach(note -> byProcess
                .computeIfAbsent(note.path("receiver").asText("unnamed"), any -> new ArrayList<>())
                .add(note));
        List<CounterSpan> cpu = spans(byProcess, "cpuMs");
        double millis = cpu.stream()
                .mapToDouble(span -> span.last().atMillis() - span.first().atMillis())
                .sum();
        return new Generators(
                notes.size(),
                byProcess.size(),
                millis <= 0 ? null : Double.valueOf(sum(cpu) / millis),
                total(spans(byProcess, "gcCount")),
                total(spans(byProcess, "gcMs")),
                notes);
    }

    private static List<CounterSpan> spans(Map<String, List<JsonNode>> byProcess, String key) {
        List<CounterSpan> spans = new ArrayList<>();
        byProcess.forEach((process, notes) -> spans.addAll(CounterSpan.join(notes.stream()
                .filter(note -> note.path(key).isNumber())
                .map(note -> new CounterSample(
                        process, note.path("t").asLong(), note.path(key).asLong()))
                .toList())));
        return spans;
    }

    private static double sum(List<CounterSpan> spans) {
        return spans.stream().mapToDouble(CounterSpan::delta).sum();
    }

    private static @Nullable Long total(List<CounterSpan> spans) {
        return spans.isEmpty()
                ? null
                : Long.valueOf(spans.stream().mapToLong(CounterSpan::delta).sum());
    }

    void write(ObjectNode to, @Nullable Integer cores) {
        to.put("samples", samples);
        if (samples == 0) {
            return;
        }
        to.put("processes", processes).put("cores", cores);
        to.put("cpuCoresUsed", Numbers.rounded(cpuCores, 3));
        to.put("residentMbMax", most("residentMb"));
        to.put("heapMbMax", most("heapMb"));
        to.put("socketsMax", most("sockets"));
        to.put("filesMax", most("files"));
        to.put("inFlightMax", most("inFlight"));
        to.put("gcPauses", gcPauses).put("gcPausedMs", gcPausedMillis);
    }

    @Nullable
    Long most(String key) {
        return notes.stream()
                .map(sample -> sample.path(key))
                .filter(JsonNode::isNumber)
                .map(JsonNode::longValue)
                .max(Long::compare)
                .orElse(null);
    }
}
