package dev.spillway.system;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;

/** Which HTTP API an operator's command asks. */
@SuppressWarnings("NullAway.Init") // set by picocli
final class ApiOptions {
    @ArgGroup(exclusive = true, multiplicity = "1")
    Where where;

    static final class Where {
        @Option(
                names = "--info",
                paramLabel = "FILE",
                description = "a running local stack: what ./spillway local --info FILE has written")
        @Nullable
        Path info;

        @Option(
                names = "--api",
                paramLabel = "URL",
                description =
                        "the HTTP API in an account; signed with the credentials that the AWS command line would use")
        @Nullable
        URI api;
    }

    SignedApi open() throws IOException {
        if (where.info != null) {
            return SignedApi.of(where.info);
        }
        URI api = where.api;
        if (api == null || api.getHost() == null) {
            throw new IOException("--api wants a URL such as https://api.example.com");
        }
        return SignedApi.of(api);
    }
}
