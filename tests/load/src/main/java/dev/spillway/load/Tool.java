package dev.spillway.load;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Properties;

/** What the commands share. */
public final class Tool {
    /** For files that people read. */
    public static final ObjectMapper JSON = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

    /** Nothing was run, or the run did not ask its question. */
    public static final int INVALID = 2;

    private Tool() {}

    /** The checkout, which the launcher names. */
    public static Path home() {
        return Path.of(System.getProperty("spillway.home", "."))
                .toAbsolutePath()
                .normalize();
    }

    /** The revision that this was built from, or of the checkout; "unknown" if neither tells. */
    public static String revision() {
        Properties built = new Properties();
        try (InputStream in = Tool.class.getResourceAsStream("revision.properties")) {
            if (in != null) {
                built.load(in);
                return built.getProperty("revision", "unknown");
            }
            Process git = new ProcessBuilder("git", "-C", home().toString(), "describe", "--always", "--dirty")
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            String text =
                    new String(git.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8).strip();
            return git.waitFor() == 0 && !text.isEmpty() ? text : "unknown";
        } catch (IOException e) {
            return "unknown";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "unknown";
        }
    }
}
