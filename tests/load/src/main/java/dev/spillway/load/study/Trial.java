package dev.spillway.load.study;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.spillway.load.Interruptible;
import dev.spillway.load.Tool;
import dev.spillway.load.adapter.Adapter;
import dev.spillway.load.ledger.Bundle;
import dev.spillway.load.ledger.Outcome;
import dev.spillway.load.replay.Authorisation;
import dev.spillway.load.replay.Limits;
import dev.spillway.load.replay.Permission;
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
import java.util.List;
import java.util.function.Consumer;

/** One run among several of a study, into a folder of its own. */
public final class Trial {
    private static final ObjectMapper JSON = new ObjectMapper();

    private Trial() {}

    /**
     * How far it may go.
     *
     * @param quiet how long the baseline may take afterwards
     * @param permission of the target's owner, which holds during the run
     */
    public record Bounds(int maxInFlight, Duration timeout, Duration quiet, StopRules rules, Permission permission) {
        /** On loopback, with nothing that ends it early. */
        public static Bounds of(int maxInFlight, Duration timeout, Duration quiet) {
            return new Bounds(maxInFlight, timeout, quiet, StopRules.NONE, Permission.NONE);
        }

        private Limits limits() {
            return Authorisation.held(permission.given(), new Limits(maxInFlight, timeout, Duration.ofSeconds(5)));
        }
    }

    /** Why it may not be; empty if it may. */
    public static List<String> objections(Schedule schedule, Adapter adapter, Bounds bounds) {
        return Authorisation.objections(
                bounds.permission().given(), adapter.hosts(), schedule, 1, bounds.maxInFlight(), Instant.now());
    }

    /**
     * Runs and reports; Ctrl-C ends it in order.
     *
     * @param begun told of the session before it runs
     */
    public static Report run(Schedule schedule, Adapter adapter, Path folder, Bounds bounds, Consumer<Session> begun)
            throws IOException, InterruptedException {
        Bundle bundle = new Bundle(folder);
        Files.createDirectories(folder);
        byte[] bytes = ScheduleWriter.write(schedule).getBytes(StandardCharsets.UTF_8);
        Files.write(bundle.schedule(), bytes);
        bounds.permission().write(bundle);
        Authorisation given = bounds.permission().given();
        adapter.allowHosts(host -> Authorisation.allows(given, host));
        Files.writeString(
                bundle.run(), manifest(schedule, bytes, adapter, bounds).toPrettyString() + "\n");
        var plan = new Session.Plan(
                schedule,
                1,
                bounds.limits(),
                Authorisation.held(given, bounds.rules(), Instant.now()),
                bounds.quiet(),
                Duration.ofMinutes(3),
                false);
        Session session = new Session(plan, adapter, bundle, line -> {});
        begun.accept(session);
        return Interruptible.run(session, bundle, report -> {});
    }

    private static ObjectNode manifest(Schedule schedule, byte[] bytes, Adapter adapter, Bounds bounds) {
        ObjectNode manifest = JSON.createObjectNode();
        manifest.put("run", 1)
                .put("revision", Tool.revision())
                .put("startedAt", Instant.now().toString());
        manifest.put("scheduleSha256", Bundle.sha256(bytes))
                .put("scheduled", schedule.arrivals().size());
        ObjectNode described = manifest.putObject("adapter");
        described.put("name", adapter.name()).put("endpoint", adapter.endpoint());
        adapter.describe(described.putObject("settings"));
        manifest.put("definitionsSha256", Outcome.definitionsSha256());
        manifest.put("speed", 1)
                .put("maxInFlight", bounds.limits().maxInFlight())
                .put("timeoutSeconds", bounds.timeout().toMillis() / 1e3);
        var hosts = manifest.putArray("hosts");
        adapter.hosts().stream().sorted().forEach(hosts::add);
        manifest.put("authorisationSha256", bounds.permission().sha256());
        manifest.put("consent", true).put("targetAllowed", true).putNull("criteriaSha256");
        var declared = manifest.putArray("declaredNotApplied");
        schedule.notApplied(adapter.takes()).forEach(declared::add);
        manifest.put("cores", Runtime.getRuntime().availableProcessors());
        return manifest;
    }
}
