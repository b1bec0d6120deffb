package dev.spillway.localcloud;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * The native part of the runtime interface client, unpacked once for this process. Left to itself each function unpacks it to
 * one and the same file, and one that starts at the same time as another may load half of it, and crashes.
 */
final class RuntimeLibrary {
    /** The runtime interface client's own setting. */
    private static final String PROPERTY =
            "com.amazonaws.services.lambda.runtime.api.client.runtimeapi.NativeClient.JNI";

    /** What there is by the processor's name; each fits where the C library's loader is. */
    private static final Map<String, Build> BUILDS = Map.of(
            "amd64", new Build("jni/libaws-lambda-jni.linux-x86_64.so", Path.of("/lib64/ld-linux-x86-64.so.2")),
            "aarch64", new Build("jni/libaws-lambda-jni.linux-aarch_64.so", Path.of("/lib/ld-linux-aarch64.so.1")));

    private static final Map<Path, Optional<Path>> UNPACKED = new ConcurrentHashMap<>();

    private record Build(String entry, Path loader) {}

    private RuntimeLibrary() {}

    /** The option that names it; empty on systems for which the client chooses another build. */
    static Optional<String> option(Path client) {
        return UNPACKED.computeIfAbsent(client, RuntimeLibrary::unpacked).map(file -> "-D" + PROPERTY + "=" + file);
    }

    private static Optional<Path> unpacked(Path client) {
        Build build = BUILDS.get(System.getProperty("os.arch"));
        if (build == null || !Files.exists(build.loader())) {
            return Optional.empty();
        }
        try (ZipFile jar = new ZipFile(client.toFile())) {
            ZipEntry entry = jar.getEntry(build.entry());
            if (entry == null) {
                return Optional.empty();
            }
            Path file = Files.createTempFile("aws-lambda-jni-", ".so");
            file.toFile().deleteOnExit();
            try (InputStream library = jar.getInputStream(entry)) {
                Files.copy(library, file, StandardCopyOption.REPLACE_EXISTING);
            }
            return Optional.of(file);
        } catch (IOException e) {
            throw new UncheckedIOException(client + " cannot be unpacked", e);
        }
    }
}
