package dev.spillway.localcloud;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A route of an HTTP API: {@code {name}} stands for one path segment, {@code {name+}} for the rest. */
record RouteTemplate(String method, String path, List<String> segments) {

    static RouteTemplate of(String method, String path) {
        if (!path.startsWith("/")) {
            throw new IllegalArgumentException("a route's path starts with a slash: " + path);
        }
        return new RouteTemplate(method, path, segmentsOf(path));
    }

    /** The route key as API Gateway reports it. */
    String key() {
        return method + " " + path;
    }

    /** How specific the route is: of two routes that match, the one with more literal segments wins. */
    int literals() {
        return (int) segments.stream().filter(segment -> !isParameter(segment)).count();
    }

    boolean matches(String requestMethod, String requestPath) {
        if (!method.equals("ANY") && !method.equals(requestMethod)) {
            return false;
        }
        List<String> given = segmentsOf(requestPath);
        for (int i = 0; i < segments.size(); i++) {
            String segment = segments.get(i);
            if (isGreedy(segment)) {
                return i < given.size();
            }
            if (i >= given.size()) {
                return false;
            }
            boolean fits = isParameter(segment) ? !given.get(i).isEmpty() : segment.equals(given.get(i));
            if (!fits) {
                return false;
            }
        }
        return given.size() == segments.size();
    }

    /** The decoded values of the parameters in a path that matches. */
    Map<String, String> parameters(String requestPath) {
        List<String> given = segmentsOf(requestPath);
        Map<String, String> values = new LinkedHashMap<>();
        for (int i = 0; i < segments.size(); i++) {
            String segment = segments.get(i);
            if (isGreedy(segment)) {
                values.put(
                        segment.substring(1, segment.length() - 2),
                        decode(String.join("/", given.subList(i, given.size()))));
            } else if (isParameter(segment)) {
                values.put(segment.substring(1, segment.length() - 1), decode(given.get(i)));
            }
        }
        return values;
    }

    private static List<String> segmentsOf(String path) {
        return List.of(path.substring(1).split("/", -1));
    }

    private static boolean isParameter(String segment) {
        return segment.startsWith("{") && segment.endsWith("}");
    }

    private static boolean isGreedy(String segment) {
        return segment.startsWith("{") && segment.endsWith("+}");
    }

    private static String decode(String text) {
        try {
            return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return text; // a stray percent sign reaches the function as it came
        }
    }
}
