package dev.spillway.system;

import com.fasterxml.jackson.databind.JsonNode;
import dev.spillway.core.call.ClaimKey;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** {@code ./spillway call CA…}: asks a running local stack's API what became of one call. */
@Command(
        name = "call",
        mixinStandardHelpOptions = true,
        description = "Tells one call's story: where it was sent, why it had to wait, how it moved and ended.",
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            "0:the story was told",
            "1:no tenant of the stack has such a call, or the stack does not answer",
            "2:the command line is wrong"
        })
@SuppressWarnings("NullAway.Init") // set by picocli
final class StoryCommand implements Callable<Integer> {
    @Parameters(
            paramLabel = "CALL",
            description =
                    "a CallSid, CA and 32 hexadecimal digits, as in the logs; or the id of a job, as POST /calls gave"
                            + " it")
    String callOrJob;

    @Option(
            names = "--info",
            required = true,
            paramLabel = "FILE",
            description = "what ./spillway local --info FILE has written")
    Path info;

    @Option(names = "--logs", description = "also print the log lines of functions and containers about the call")
    boolean logs;

    @CommandLine.Spec
    CommandLine.Model.CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        String id;
        try {
            id = ClaimKey.of(callOrJob).value();
        } catch (IllegalArgumentException e) {
            throw new ParameterException(
                    spec.commandLine(), "neither a CallSid (CA and 32 hexadecimal digits) nor a job's id");
        }
        JsonNode stack = Cli.JSON.readTree(info.toFile());
        Optional<JsonNode> attempt = find(stack, id);
        if (attempt.isEmpty()) {
            System.err.println("spillway: no tenant of this stack has a record of " + id);
            return 1;
        }
        CallStory.lines(attempt.get()).forEach(System.out::println);
        if (logs) {
            System.out.println();
            CallStory.logLines(Path.of(stack.path("logs").asText()), CallStory.ids(attempt.get()))
                    .forEach(System.out::println);
        }
        return 0;
    }

    private Optional<JsonNode> find(JsonNode stack, String id) throws IOException, InterruptedException {
        try (SignedApi api = SignedApi.of(info)) {
            for (JsonNode tenant : stack.path("tenants")) {
                String path = "/attempts/" + id + "?tenant=" + tenant.path("id").asText();
                HttpResponse<String> response = api.get(path);
                switch (response.statusCode()) {
                    case 200 -> {
                        return Optional.of(Cli.JSON.readTree(response.body()));
                    }
                    case 404 -> {}
                    default -> throw new IOException("the stack answered " + response.statusCode() + " to " + path);
                }
            }
        }
        return Optional.empty();
    }
}
