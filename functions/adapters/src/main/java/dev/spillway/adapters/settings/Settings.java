package dev.spillway.adapters.settings;

import java.math.BigDecimal;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads settings by name and gathers every problem, so that a wrong configuration is told at once and not one key at a
 * time. Use {@link #read}: while it runs, a missing or wrong setting yields a stand-in value, and at its end one
 * {@link SettingsException} lists all of them.
 *
 * <pre>{@code
 * record Door(String pool, int port) {}
 * Door door = Settings.read(System.getenv(), settings ->
 *         new Door(settings.text("SPILLWAY_POOL"), settings.wholeNumber("SPILLWAY_PORT", 8080, 1, 65535)));
 * }</pre>
 */
public final class Settings {
    private final Map<String, String> environment;
    private final List<String> problems = new ArrayList<>();

    private Settings(Map<String, String> environment) {
        this.environment = environment;
    }

    /**
     * Builds a configuration from the settings.
     *
     * @param shape makes the configuration; it may see stand-in values, so it must only build values
     * @throws SettingsException listing every problem, if there is any
     */
    public static <T> T read(Map<String, String> environment, Function<Settings, T> shape) {
        Settings settings = new Settings(environment);
        T made = null;
        try {
            made = shape.apply(settings);
        } catch (IllegalArgumentException e) {
            // A record refused: because of a stand-in for a problem already noted, or with a problem of its own.
            if (settings.problems.isEmpty()) {
                settings.problems.add(String.valueOf(e.getMessage()));
            }
        }
        if (made == null || !settings.problems.isEmpty()) {
            throw new SettingsException(settings.problems);
        }
        return made;
    }

    /** The setting's text without surrounding blanks, if it is there and not blank. */
    public Optional<String> optional(String name) {
        return Optional.ofNullable(environment.get(name)).map(String::strip).filter(text -> !text.isEmpty());
    }

    /** A text that must be there. */
    public String text(String name) {
        return optional(name).orElseGet(() -> missing(name, ""));
    }

    public String text(String name, String fallback) {
        return optional(name).orElse(fallback);
    }

    /** A whole number between {@code least} and {@code most}, both included. */
    public int wholeNumber(String name, int fallback, int least, int most) {
        return value(
                name,
                fallback,
                text -> {
                    int number = Integer.parseInt(text);
                    if (number < least || number > most) {
                        throw new IllegalArgumentException("out of range");
                    }
                    return number;
                },
                "want a whole number from " + least + " to " + most);
    }

    /** A number of at least {@code least}. */
    public double number(String name, double fallback, double least) {
        return value(
                name,
                fallback,
                text -> {
                    double number = Double.parseDouble(text);
                    if (!(number >= least) || Double.isInfinite(number)) {
                        throw new IllegalArgumentException("out of range");
                    }
                    return number;
                },
                "want a number of "
                        + BigDecimal.valueOf(least).stripTrailingZeros().toPlainString() + " or more");
    }

    /** An absolute URL without a trailing slash that must be there. */
    public String url(String name, String... schemes) {
        return required(name, "", text -> checkedUrl(text, schemes), wantUrl(schemes));
    }

    public Optional<String> optionalUrl(String name, String... schemes) {
        return optional(name).isPresent() ? Optional.of(url(name, schemes)) : Optional.empty();
    }

    public String url(String name, String fallback, List<String> schemes) {
        String[] accepted = schemes.toArray(String[]::new);
        return value(name, fallback, text -> checkedUrl(text, accepted), wantUrl(accepted));
    }

    /** Bytes in base64 that must be there, that many of them. */
    public byte[] base64(String name, int bytes) {
        return required(
                name,
                new byte[bytes],
                text -> {
                    byte[] decoded = Base64.getDecoder().decode(text);
                    if (decoded.length != bytes) {
                        throw new IllegalArgumentException("wrong length");
                    }
                    return decoded;
                },
                "want " + bytes + " bytes in base64");
    }

    /**
     * Any other value that must be there.
     *
     * @param standIn what is given while there is a problem
     * @param parse throws {@link IllegalArgumentException} for a wrong text
     * @param want what would be right, for the report
     */
    public <T> T required(String name, T standIn, Function<String, T> parse, String want) {
        return optional(name).isPresent() ? value(name, standIn, parse, want) : missing(name, standIn);
    }

    /** Any other value that may be absent. */
    public <T> T value(String name, T fallback, Function<String, T> parse, String want) {
        Optional<String> text = optional(name);
        if (text.isEmpty()) {
            return fallback;
        }
        try {
            return parse.apply(text.get());
        } catch (IllegalArgumentException e) {
            problem(name, want);
            return fallback;
        }
    }

    /** Notes a problem that only the caller can see, such as two settings that do not fit together. */
    public void problem(String name, String want) {
        problems.add(name + ": " + want);
    }

    private <T> T missing(String name, T standIn) {
        problem(name, "is missing");
        return standIn;
    }

    private static String wantUrl(String... schemes) {
        return "want an absolute URL with scheme " + String.join(" or ", schemes);
    }

    private static String checkedUrl(String text, String... schemes) {
        try {
            URI uri = new URI(text);
            @Nullable String scheme = uri.getScheme();
            if (uri.getHost() == null || scheme == null || !List.of(schemes).contains(scheme)) {
                throw new IllegalArgumentException("wrong kind of URL");
            }
            return text.endsWith("/") ? text.substring(0, text.length() - 1) : text;
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException("not a URL", e);
        }
    }
}
