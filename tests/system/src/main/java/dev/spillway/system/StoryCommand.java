package dev.spillway.system;

import com.fasterxml.jackson.databind.JsonNode;
import dev.spillway.core.call.ClaimKey;
import dev.spillway.core.tenant.TenantId;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** {@code ./spillway call CA…}: asks the API of a local stack, or of an account, what became of one call. */
@Command(
        name = "call",
        mixinStandardHelpOptions = true,
        description = "Tells one call's story: where it was sent, why it had to wait, how it moved and ended.",
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            "0:the story was told",
            "1:no such call, or the API does not answer",
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

    @Mixin
    ApiOptions api;

    @Option(
            names = "--tenant",
            paramLabel = "ID",
            description =
                    "whose call it is; needed with --api, and without it every tenant of the local stack is asked")
    @Nullable
    String tenant;

    @Option(
            names = "--logs",
            description = "also print the log lines of a local stack's functions and containers about the call")
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
        JsonNode stack = api.where.info == null ? Cli.JSON.missingNode() : Cli.JSON.readTree(api.where.info.toFile());
        if (api.where.info == null && (tenant == null || logs)) {
            throw new ParameterException(
                    spec.commandLine(), "--api wants --tenant, and the logs of an account are in CloudWatch");
        }
        if (tenant != null && TenantId.parse(tenant).isEmpty()) {
            throw new ParameterException(spec.commandLine(), "not a tenant's id: '" + tenant + "'");
        }
        Optional<JsonNode> attempt = find(tenants(stack), id);
        if (attempt.isEmpty()) {
            System.err.println("spillway: no tenant that was asked for has a record of " + id);
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

    private List<String> tenants(JsonNode stack) {
        if (tenant != null) {
            return List.of(tenant);
        }
        List<String> tenants = new ArrayList<>();
        stack.path("tenants").forEach(one -> tenants.add(one.path("id").asText()));
        return tenants;
    }

    private Optional<JsonNode> find(List<String> tenants, String id) throws IOException, InterruptedException {
        try (SignedApi signed = api.open()) {
            for (String one : tenants) {
                String path = "/attempts/" + id + "?tenant=" + one;
                HttpResponse<String> response = signed.get(path);
                switch (response.statusCode()) {
                    case 200 -> {
                        return Optional.of(Cli.JSON.readTree(response.body()));
                    }
                    case 404 -> {}
                    default -> throw new IOException("the API answered " + response.statusCode() + " to " + path);
                }
            }
        }
        return Optional.empty();
    }
}
