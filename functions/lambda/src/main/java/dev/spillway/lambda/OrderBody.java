package dev.spillway.lambda;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.spillway.adapters.journal.PhoneNumbers;
import dev.spillway.core.order.Order;
import dev.spillway.lambda.ProblemDetails.Field;
import java.time.DateTimeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the body of {@code POST /pools/{tenant}/orders} says: {@code {"order": "pin", "containers": 4, "for": "PT30M",
 * "reason": "…"}}.
 */
sealed interface OrderBody {
    Set<String> FIELDS = Set.of("order", "containers", "for", "reason");

    /** @param time how long it lasts */
    record Read(Order.What what, Duration time, String reason) implements OrderBody {}

    record Faulty(List<Field> errors) implements OrderBody {}

    record NotAnObject() implements OrderBody {}

    /** @param maximum how many containers the pool may have */
    static OrderBody parse(String body, int maximum) {
        JsonNode tree;
        try {
            tree = JobBody.JSON.readTree(body);
        } catch (JsonProcessingException e) {
            return new NotAnObject();
        }
        if (tree == null || !tree.isObject()) {
            return new NotAnObject();
        }
        List<Field> errors = new ArrayList<>();
        tree.fieldNames().forEachRemaining(name -> {
            if (!FIELDS.contains(name)) {
                errors.add(new Field(name.matches("[A-Za-z]{1,32}") ? name : "?", "there is no such field"));
            }
        });
        Order.What what = what(tree, maximum, errors);
        Duration time = time(tree.get("for"), errors);
        // It shows in many answers afterwards: no phone number gets past here.
        String reason = PhoneNumbers.masked(tree.path("reason").asText().strip());
        if (!tree.path("reason").isTextual()
                || reason.isEmpty()
                || reason.length() > Order.LONGEST_REASON
                || reason.chars().anyMatch(Character::isISOControl)) {
            errors.add(new Field("reason", "want a text of 1 to " + Order.LONGEST_REASON + " characters on one line"));
        }
        return what == null || !errors.isEmpty() ? new Faulty(errors) : new Read(what, time, reason);
    }

    private static Order.@Nullable What what(JsonNode tree, int maximum, List<Field> errors) {
        JsonNode containers = tree.get("containers");
        boolean given = containers != null && !containers.isNull();
        String name = tree.path("order").asText();
        if (given && !name.equals("pin")) {
            errors.add(new Field("containers", "goes with pin alone"));
        }
        switch (name) {
            case "pause" -> {
                return new Order.Pause();
            }
            case "pin" -> {
                if (containers == null
                        || !containers.isInt()
                        || containers.asInt() < 0
                        || containers.asInt() > maximum) {
                    errors.add(new Field("containers", "want a whole number from 0 to " + maximum));
                    return null;
                }
                return new Order.Pin(containers.asInt());
            }
            case "drain" -> {
                return new Order.Drain();
            }
            case "to-gateway" -> {
                return new Order.ToGateway();
            }
            case "stop-outbound" -> {
                return new Order.StopOutbound();
            }
            default -> {
                errors.add(new Field("order", "want pause, pin, drain, to-gateway or stop-outbound"));
                return null;
            }
        }
    }

    private static Duration time(@Nullable JsonNode node, List<Field> errors) {
        if (node == null || node.isNull()) {
            return Order.USUAL;
        }
        try {
            Duration time = Duration.parse(node.isTextual() ? node.asText() : "");
            if (time.compareTo(Duration.ofSeconds(1)) >= 0 && time.compareTo(Order.LONGEST) <= 0) {
                return time;
            }
        } catch (DateTimeException e) {
            // Said below.
        }
        errors.add(new Field("for", "want a duration such as PT30M, of PT1S to PT24H"));
        return Order.USUAL;
    }
}
