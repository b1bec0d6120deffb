package dev.spillway.load.study;

import dev.spillway.load.adapter.Target;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/** An {@link EchoSink} that runs until it is closed, as a target of calls. */
final class SinkProcess implements AutoCloseable {
    private final Process process;
    private final URI url;

    SinkProcess() throws IOException {
        this.process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx160m",
                        "-XX:+UseSerialGC",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        EchoSink.class.getName())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        var lines = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        String line = lines.readLine();
        while (line != null && !line.startsWith(EchoSink.PORT)) {
            line = lines.readLine();
        }
        if (line == null) {
            throw new IOException("the echoing sink did not start");
        }
        this.url = URI.create("http://127.0.0.1:" + line.substring(EchoSink.PORT.length()));
    }

    /** Made up; the sink checks no signature. */
    Target target() {
        return new Target(
                url,
                null,
                null,
                null,
                List.of(new Target.Tenant("sink", "+15005550006", "AC000000000000000000000000000000e0", "none", url)));
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
