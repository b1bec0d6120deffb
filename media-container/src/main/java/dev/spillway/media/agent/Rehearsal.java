package dev.spillway.media.agent;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a load test wants of the scripted agent in one call. It comes as a parameter of the media stream, which only the author
 * of the TwiML, or who plays Twilio's part, can set; a caller cannot. Containers look at it only where load tests run.
 *
 * @param cpu computing that each turn costs before it is answered
 * @param answer length of an answer; empty for that of its sentence
 * @param tools what each turn looks up elsewhere, one after the other
 */
record Rehearsal(Duration cpu, Optional<Duration> answer, List<String> tools) {
    /** The parameter's name; its value is like {@code cpu=0.05;answer=2.5;tools=calendar,orders}, in seconds. */
    static final String PARAMETER = "rehearsal";

    static final Rehearsal NONE = new Rehearsal(Duration.ZERO, Optional.empty(), List.of());
    /** How long one look-up takes; a guess at a request to a customer's own system. */
    private static final Duration LOOK_UP = Duration.ofMillis(300);
    /** More than that is no turn of a conversation. */
    private static final double MOST_SECONDS = 60;

    Rehearsal {
        tools = List.copyOf(tools);
    }

    /** What the stream's parameters say; whatever cannot be read is passed over. */
    static Rehearsal of(Map<String, String> parameters) {
        Duration cpu = Duration.ZERO;
        Optional<Duration> answer = Optional.empty();
        List<String> tools = List.of();
        for (String one : parameters.getOrDefault(PARAMETER, "").split(";")) {
            String value = one.substring(one.indexOf('=') + 1);
            switch (one.substring(0, Math.max(0, one.indexOf('=')))) {
                case "cpu" -> cpu = seconds(value).orElse(cpu);
                case "answer" -> answer = seconds(value);
                case "tools" -> tools = value.isEmpty() ? List.of() : List.of(value.split(","));
                default -> {} // of a newer load tester
            }
        }
        return new Rehearsal(cpu, answer, tools);
    }

    private static Optional<Duration> seconds(String text) {
        try {
            double seconds = Double.parseDouble(text);
            return seconds >= 0 && seconds <= MOST_SECONDS
                    ? Optional.of(Duration.ofNanos(Math.round(seconds * 1e9)))
                    : Optional.empty();
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    /** How long the tools keep the agent from answering. */
    Duration lookUps() {
        return LOOK_UP.multipliedBy(tools.size());
    }
}
