package dev.spillway.lambda.log;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.ILoggerFactory;
import org.slf4j.IMarkerFactory;
import org.slf4j.Logger;
import org.slf4j.helpers.BasicMarkerFactory;
import org.slf4j.spi.MDCAdapter;
import org.slf4j.spi.SLF4JServiceProvider;

/** SLF4J finds it as a service: loggers that write {@link LogLine}s. */
public final class JsonLogging implements SLF4JServiceProvider, ILoggerFactory {
    /** Of SLF4J: all of 2.0 goes together. */
    private static final String API = "2.0.99";

    private final Map<String, Logger> loggers = new ConcurrentHashMap<>();
    private final IMarkerFactory markers = new BasicMarkerFactory();
    private final MDCAdapter context = new LogContext();

    /** For SLF4J. */
    public JsonLogging() {}

    @Override
    public Logger getLogger(String name) {
        return loggers.computeIfAbsent(name, JsonLogger::new);
    }

    @Override
    public ILoggerFactory getLoggerFactory() {
        return this;
    }

    @Override
    public IMarkerFactory getMarkerFactory() {
        return markers;
    }

    @Override
    public MDCAdapter getMDCAdapter() {
        return context;
    }

    @Override
    public String getRequestedApiVersion() {
        return API;
    }

    /** Everything is there already. */
    @Override
    public void initialize() {}
}
