package dev.spillway.load;

import dev.spillway.load.adapter.Adapter;
import dev.spillway.load.adapter.HttpAdapter;
import dev.spillway.load.adapter.SyntheticAdapter;
import dev.spillway.load.adapter.Target;
import dev.spillway.load.adapter.TwilioMediaAdapter;
import dev.spillway.load.schedule.CallClass;
import dev.spillway.load.schedule.Direction;
import dev.spillway.load.schedule.Schedule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** What is driven, and how. */
@SuppressWarnings("NullAway.Init") // set by picocli
final class AdapterOptions {
    @Option(
            names = "--adapter",
            defaultValue = "synthetic",
            paramLabel = "NAME",
            description = "synthetic (in process), http (one request each) or twilio-media (phone calls)"
                    + " (default: ${DEFAULT-VALUE})")
    String name;

    @Option(
            names = "--info",
            paramLabel = "FILE",
            description = "twilio-media: the system, as ./spillway local --info FILE writes it"
                    + " (default: the local stack of this checkout that was started last)")
    @Nullable
    Path info;

    @Option(names = "--url", paramLabel = "URL", description = "http: what to ask; {id} is the arrival's place")
    @Nullable
    String url;

    @Option(
            names = "--method",
            defaultValue = "GET",
            paramLabel = "METHOD",
            description = "http: default ${DEFAULT-VALUE}")
    String method;

    @Option(names = "--body", defaultValue = "", paramLabel = "TEXT", description = "http: the request's body")
    String body;

    @Option(
            names = "--service",
            paramLabel = "SECONDS",
            description =
                    "synthetic: how long an answer takes, unless its class says so (default: the call's duration)")
    @Nullable
    Double service;

    @Option(
            names = "--slots",
            defaultValue = "0",
            paramLabel = "N",
            description = "synthetic: served at once; more are refused (default: any number)")
    int slots;

    @CommandLine.Spec(CommandLine.Spec.Target.MIXEE)
    CommandLine.Model.CommandSpec spec;

    Adapter open(Schedule schedule) throws IOException, InterruptedException {
        return switch (name) {
            case "synthetic" -> new SyntheticAdapter(new SyntheticAdapter.Settings(service, slots));
            case "http" -> new HttpAdapter(request(required(url, "--url")));
            case "twilio-media" -> twilio(schedule);
            default ->
                throw new CommandLine.ParameterException(
                        spec.commandLine(), "--adapter is synthetic, http or twilio-media, not " + name);
        };
    }

    private HttpAdapter.Settings request(String to) {
        try {
            return new HttpAdapter.Settings(method, to, body);
        } catch (IllegalArgumentException e) {
            throw new CommandLine.ParameterException(spec.commandLine(), "refused: " + e.getMessage(), e);
        }
    }

    private Adapter twilio(Schedule schedule) throws IOException, InterruptedException {
        Path usual = Tool.home().resolve("tests/system/target/stack.json");
        Path file = info == null && Files.exists(usual) ? usual : info;
        if (file == null) {
            throw new CommandLine.ParameterException(
                    spec.commandLine(),
                    "no local stack of this checkout was started: run ./spillway local, or name another with --info FILE");
        }
        Target target = Target.read(file, System.getenv());
        boolean outbound =
                schedule.arrivals().stream().anyMatch(arrival -> schedule.directionOf(arrival) == Direction.OUTBOUND);
        if (outbound && target.twilioUrl() == null) {
            throw new CommandLine.ParameterException(
                    spec.commandLine(),
                    "refused: the schedule has outbound calls, and " + file
                            + " names no twilioUrl: the system would have"
                            + " the real Twilio dial them, and none would come here");
        }
        List<String> tenants = schedule.classes().values().stream()
                .map(CallClass::tenant)
                .map(tenant -> Objects.requireNonNullElse(
                        tenant, target.tenants().getFirst().id()))
                .distinct()
                .toList();
        return new TwilioMediaAdapter(target, tenants, schedule.seed() == null ? 1 : schedule.seed());
    }

    private String required(@Nullable String value, String option) {
        if (value == null) {
            throw new CommandLine.ParameterException(spec.commandLine(), option + " is missing");
        }
        return value;
    }
}
