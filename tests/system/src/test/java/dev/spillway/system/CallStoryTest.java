package dev.spillway.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CallStoryTest {
    @Test
    void a_story_has_a_line_for_each_step_with_its_time_since_the_arrival() throws Exception {
        String attempt = """
                {"id": "CA00000000000000000000000000000001", "tenant": "acme", "kind": "inbound", "open": false,
                 "arrivedAt": "2026-11-29T09:00:00Z", "outcome": "completed",
                 "first": "CA00000000000000000000000000000002", "droppedSteps": 3, "steps": [
                  {"step": "held", "at": "2026-11-29T09:00:00.120Z", "hop": 1, "pool": "gateway",
                   "container": "0123456789abcdef", "cause": "starting", "reason": "fallback",
                   "slots": {"pool": "acme", "live": 5, "setup": 1, "reserved": 1, "cooldown": 0, "limit": 6}},
                  {"step": "ended", "at": "2026-11-29T09:00:28Z", "hop": 2, "reason": "completed: call status"}]}
                """;

        assertThat(CallStory.lines(Cli.JSON.readTree(attempt)))
                .containsExactly(
                        "CA00000000000000000000000000000001: inbound, tenant acme, arrived 2026-11-29T09:00:00Z,"
                                + " completed",
                        "  the first try was CA00000000000000000000000000000002",
                        "   +0.120 s  hop 1  held       gateway/01234567   fallback"
                                + " [starting; acme: live 5, setup 1, reserved 1, cooldown 0 of 6]",
                        "  +28.000 s  hop 2  ended      -                  completed: call status",
                        "  ... and 3 steps more, which were not kept");
    }

    @Test
    void the_log_lines_about_a_call_are_put_in_the_order_of_time(@TempDir Path folder) throws Exception {
        String sid = "CA00000000000000000000000000000001";
        Files.writeString(
                folder.resolve("functions.log"),
                "{\"at\":\"2026-11-29T09:00:01Z\",\"callSid\":\"" + sid + "\"}\n{\"at\":\"2026-11-29T09:00:02Z\"}\n");
        Files.writeString(
                folder.resolve("task.log"),
                "{\"time\":\"2026-11-29T09:00:00Z\",\"callSid\":\"" + sid + "\"}\nnot JSON " + sid + "\n");

        assertThat(CallStory.logLines(folder, Set.of(sid)))
                .containsExactly(
                        "task.log  {\"time\":\"2026-11-29T09:00:00Z\",\"callSid\":\"" + sid + "\"}",
                        "functions.log  {\"at\":\"2026-11-29T09:00:01Z\",\"callSid\":\"" + sid + "\"}");
    }
}
