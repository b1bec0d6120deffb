package dev.spillway.lambda.log;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;
import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.helpers.LegacyAbstractLogger;
import org.slf4j.helpers.MessageFormatter;

/**
 * Writes its lines to standard error: Lambda sends both streams to CloudWatch, and a process that these functions run in
 * keeps its output.
 */
final class JsonLogger extends LegacyAbstractLogger {
    JsonLogger(String name) {
        this.name = name;
    }

    @Override
    public boolean isTraceEnabled() {
        return LogLevels.isEnabled(name, Level.TRACE);
    }

    @Override
    public boolean isDebugEnabled() {
        return LogLevels.isEnabled(name, Level.DEBUG);
    }

    @Override
    public boolean isInfoEnabled() {
        return LogLevels.isEnabled(name, Level.INFO);
    }

    @Override
    public boolean isWarnEnabled() {
        return LogLevels.isEnabled(name, Level.WARN);
    }

    @Override
    public boolean isErrorEnabled() {
        return LogLevels.isEnabled(name, Level.ERROR);
    }

    /** Nobody asks where a line was written: its event tells. */
    @Override
    protected @Nullable String getFullyQualifiedCallerName() {
        return null;
    }

    @Override
    protected void handleNormalizedLoggingCall(
            Level level,
            @Nullable Marker marker,
            @Nullable String pattern,
            Object @Nullable [] arguments,
            @Nullable Throwable thrown) {
        String message = MessageFormatter.basicArrayFormat(pattern, arguments);
        Map<String, String> context = MDC.getCopyOfContextMap();
        String line = LogLine.of(
                level,
                message == null ? "" : message,
                thrown,
                context == null ? Map.of() : context,
                arguments == null ? new Object[0] : arguments,
                Instant.now());
        // One write for a line: lines of several threads do not mix.
        byte[] bytes = (line + "\n").getBytes(StandardCharsets.UTF_8);
        System.err.write(bytes, 0, bytes.length);
        System.err.flush();
    }
}
