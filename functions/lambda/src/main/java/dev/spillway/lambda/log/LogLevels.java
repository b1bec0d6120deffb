package dev.spillway.lambda.log;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.event.Level;
import software.amazon.lambda.powertools.logging.internal.LoggingManager;

/**
 * From which level on lines are written: decisions of ours from INFO, of libraries what they warn of. Powertools finds it as a
 * service, and sets what {@code POWERTOOLS_LOG_LEVEL} says, or Lambda's own log level, for everybody.
 */
public final class LogLevels implements LoggingManager {
    /** By the beginnings of loggers' names; the longest counts. */
    private static final Map<String, Integer> LEAST = new ConcurrentHashMap<>(Map.of(
            "", Level.WARN.toInt(),
            "spillway", Level.INFO.toInt(),
            // Warns with every metric that no service name is configured for it; the dimension has it.
            "software.amazon.cloudwatchlogs.emf", Level.ERROR.toInt()));

    private static volatile @Nullable Level all;

    /** For Powertools. */
    public LogLevels() {}

    /** Nothing more from loggers whose names begin so. */
    public static void silence(String prefix) {
        LEAST.put(prefix, Integer.MAX_VALUE);
    }

    static boolean isEnabled(String logger, Level level) {
        Level set = all;
        return level.toInt() >= (set == null ? least(logger) : set.toInt());
    }

    private static int least(String logger) {
        String longest = "";
        for (String prefix : LEAST.keySet()) {
            if (prefix.length() > longest.length() && logger.startsWith(prefix)) {
                longest = prefix;
            }
        }
        return LEAST.getOrDefault(longest, Level.WARN.toInt());
    }

    @Override
    public void setLogLevel(Level level) {
        all = level;
    }

    @Override
    public Level getLogLevel(Logger logger) {
        for (Level level : new Level[] {Level.TRACE, Level.DEBUG, Level.INFO, Level.WARN}) {
            if (isEnabled(logger.getName(), level)) {
                return level;
            }
        }
        return Level.ERROR;
    }
}
