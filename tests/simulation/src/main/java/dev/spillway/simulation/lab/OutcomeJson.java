package dev.spillway.simulation.lab;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/** An outcome with the fields that its readers know. */
final class OutcomeJson {
    private static final JsonMapper JSON = new JsonMapper();

    private OutcomeJson() {}

    static String write(Outcome outcome) {
        return node(outcome).toPrettyString() + "\n";
    }

    /** By the policies' names. */
    static String write(List<Table.Row> rows) {
        ObjectNode root = JSON.createObjectNode();
        rows.forEach(row -> root.set(row.name(), node(row.outcome())));
        return root.toPrettyString() + "\n";
    }

    private static ObjectNode node(Outcome outcome) {
        ObjectNode root = JSON.createObjectNode();
        root.put("calls", outcome.calls());
        root.put("touchedGateway", outcome.touchedGateway());
        root.putObject("gatewaySeconds")
                .put("mean", rounded(outcome.gatewaySeconds().mean()))
                .put("p95", rounded(outcome.gatewaySeconds().p95()))
                .put("max", rounded(outcome.gatewaySeconds().max()));
        root.put("refused", outcome.refused());
        root.put("degraded", outcome.degraded());
        root.put("containerHours", rounded(outcome.containerHours()));
        root.put("lowerBoundHours", rounded(outcome.lowerBoundHours()));
        root.put("peakContainers", outcome.peakContainers());
        root.put("costUsd", rounded(outcome.costUsd()));
        ArrayNode timeline = root.putArray("timeline");
        for (Outcome.Event event : outcome.timeline()) {
            timeline.addObject()
                    .put("atSeconds", rounded(event.atSeconds()))
                    .put("event", event.event())
                    .put("containers", event.containers());
        }
        return root;
    }

    private static double rounded(double value) {
        return Math.round(value * 10_000) / 10_000.0;
    }
}
