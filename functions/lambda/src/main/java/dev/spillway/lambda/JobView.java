package dev.spillway.lambda;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.spillway.core.attempt.Step;
import dev.spillway.core.call.JobId;
import dev.spillway.core.outbound.Job;
import dev.spillway.core.outbound.JobState;
import java.util.List;

/** Jobs as the HTTP API shows them. Whoever may see a job gave its numbers, so they are not repeated. */
final class JobView {
    private JobView() {}

    static String accepted(List<JobId> jobs) {
        ObjectNode document = JsonNodeFactory.instance.objectNode();
        ArrayNode calls = document.putArray("calls");
        jobs.forEach(id -> calls.addObject().put("id", id.value()).put("href", "/calls/" + id));
        return document.toString();
    }

    static String of(Job job) {
        ObjectNode document = JsonNodeFactory.instance.objectNode();
        document.put("id", job.id().value())
                .put("tenant", job.tenant().value())
                .put("batch", job.batch().name())
                .put("state", job.state().text())
                .put("notBefore", job.notBefore().toString())
                .put("deadline", job.deadline().toString())
                .put("createdAt", job.createdAt().toString());
        job.cause().ifPresent(cause -> document.put("cause", cause.text()));
        job.state().callSid().ifPresent(call -> document.put("callSid", call.value()));
        if (job.cancelRequested()) {
            document.put("cancelRequested", true);
        }
        switch (job.state()) {
            case JobState.Waiting waiting ->
                document.put("nextTryAt", waiting.nextTryAt().toString());
            case JobState.Ended ended ->
                document.put("outcome", ended.outcome().text())
                        .put("endedAt", ended.at().toString());
            case JobState.Dialling dialling -> {}
            case JobState.DialUnknown unknown -> {}
            case JobState.Dialled dialled -> {}
        }
        ArrayNode steps = document.putArray("steps");
        for (Step step : job.steps()) {
            ObjectNode node = steps.addObject()
                    .put("kind", step.kind().text())
                    .put("at", step.at().toString())
                    .put("reason", step.reason());
            if (step.cause() != null) {
                node.put("cause", step.cause().text());
            }
            if (step.times() > 1) {
                node.put("times", step.times());
            }
        }
        return document.toString();
    }
}
