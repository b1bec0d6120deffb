package dev.spillway.load.study;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.spillway.load.Tool;
import dev.spillway.load.adapter.Adapter;
import dev.spillway.load.ledger.Bundle;
import dev.spillway.load.ledger.Outcome;
import dev.spillway.load.replay.Limits;
import dev.spillway.load.replay.Session;
import dev.spillway.load.replay.StopRules;
import dev.spillway.load.report.Report;
import dev.spillway.load.schedule.Schedule;
import dev.spillway.load.schedule.ScheduleWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Consumer;

/** One run among several of a study, into a folder of its own. */
public final class Trial {
    private static final ObjectMapper JSON = new ObjectMapper();

    private Trial() {}

    /**
     * Runs and reports.
     *
     * @param quiet how long the baseline may take afterwards
     */
    public static Report run(
            Schedule schedule,
            Adapter adapter,
            Path folder,
            int maxInFlight,
            Duration timeout,
            Duration quiet,
            Consumer<Session> begun)
            throws IOException, InterruptedException {
        Bundle bundle = new Bundle(folder);
        Files.createDirectories(folder);
        byte[] bytes = ScheduleWriter.write(schedule).getBytes(StandardCharsets.UTF_8);
        Files.write(bundle.schedule(), bytes);
        ObjectNode manifest = JSON.createObjectNode();
        manifest.put("run", 1).put("startedAt", Instant.now().toString());
        manifest.put("scheduleSha256", Bundle.sha256(bytes))
                .put("scheduled", schedule.arrivals().size());
        ObjectNode described = manifest.putObject("adapter");
        described.put("name", adapter.name()).put("endpoint", adapter.endpoint());
        adapter.describe(described.putObject("settings"));
        manifest.put("definitionsSha256", Outcome.definitionsSha256());
        manifest.put("speed", 1).put("maxInFlight", maxInFlight).put("timeoutSeconds", timeout.toMillis() / 1e3);
        var hosts = manifest.putArray("hosts");
        adapter.hosts().stream().sorted().forEach(hosts::add);
        manifest.putNull("authorisationSha256").put("revision", Tool.revision());
        manifest.put("consent", true).put("targetAllowed", true).putNull("criteriaSha256");
        manifest.put("cores", Runtime.getRuntime().availableProcessors());
        Files.writeString(bundle.run(), manifest.toPrettyString() + "\n");
        var plan = new Session.Plan(
                schedule,
                1,
                new Limits(maxInFlight, timeout, Duration.ofSeconds(5)),
                StopRules.NONE,
                quiet,
                Duration.ofMinutes(3));
        Session session = new Session(plan, adapter, bundle, line -> {});
        begun.accept(session);
        session.run();
        Report report = Report.of(bundle);
        report.write(bundle);
        return report;
    }
}
