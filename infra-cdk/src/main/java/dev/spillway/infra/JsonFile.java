package dev.spillway.infra;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads the files that describe a deployment. A field that nobody knows is a mistake, not something to pass over. */
final class JsonFile {
    static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .build();

    private JsonFile() {}

    static <T> T read(Path file, Class<T> type) {
        try {
            return parse(file.toString(), Files.readString(file), type);
        } catch (IOException e) {
            throw new UncheckedIOException(file + " cannot be read", e);
        }
    }

    /** @throws IllegalArgumentException naming the file and what is wrong with it */
    static <T> T parse(String name, String text, Class<T> type) {
        try {
            return JSON.readValue(text, type);
        } catch (JsonProcessingException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            String what = cause instanceof IllegalArgumentException
                    ? String.valueOf(cause.getMessage())
                    : e.getOriginalMessage();
            throw new IllegalArgumentException(name + ": " + what, e);
        }
    }
}
