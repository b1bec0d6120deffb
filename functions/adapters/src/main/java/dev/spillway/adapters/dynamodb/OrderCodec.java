package dev.spillway.adapters.dynamodb;

import dev.spillway.core.order.Order;
import dev.spillway.core.order.OrderId;
import dev.spillway.core.order.OrderLog;
import dev.spillway.core.order.OrderLog.Stage;
import dev.spillway.core.order.Orders;
import dev.spillway.core.tenant.Principal;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Orders: {@code poolOrder} and {@code outboundOrder} on a pool's item, and one item of its own each in the log. */
final class OrderCodec {
    private static final long VERSION = 1;

    private OrderCodec() {}

    static String attribute(Order.Subject subject) {
        return subject.text() + "Order";
    }

    static void encode(Orders orders, Map<String, AttributeValue> item) {
        for (Order.Subject subject : Order.Subject.values()) {
            orders.last(subject).ifPresent(order -> item.put(attribute(subject), encode(order)));
        }
    }

    static Orders decode(Item item) {
        Orders orders = Orders.NONE;
        for (Order.Subject subject : Order.Subject.values()) {
            Orders before = orders;
            orders = item.optionalMap(attribute(subject))
                    .map(map -> before.with(decodeOrder(map)))
                    .orElse(before);
        }
        return orders;
    }

    static AttributeValue encode(Order order) {
        Map<String, AttributeValue> map = new HashMap<>(Map.of(
                "id", Attributes.of(order.id().value()),
                "order", Attributes.of(order.what().text()),
                "who", Attributes.of(order.who().arn()),
                "reason", Attributes.of(order.reason()),
                "sinceMillis", Attributes.millis(order.since()),
                "untilMillis", Attributes.millis(order.until())));
        if (order.what() instanceof Order.Pin pin) {
            map.put("containers", Attributes.of(pin.containers()));
        }
        return Attributes.of(map);
    }

    private static Order decodeOrder(Item map) {
        String what = map.text("order");
        return new Order(
                new OrderId(map.text("id")),
                switch (what) {
                    case "pause" -> new Order.Pause();
                    case "pin" -> new Order.Pin(map.smallNumber("containers"));
                    case "drain" -> new Order.Drain();
                    case "to-gateway" -> new Order.ToGateway();
                    case "stop-outbound" -> new Order.StopOutbound();
                    default -> throw new IllegalArgumentException(map.name() + " is no order");
                },
                new Principal(map.text("who")),
                map.text("reason"),
                map.instant("sinceMillis"),
                map.instant("untilMillis"));
    }

    static Map<String, AttributeValue> encode(OrderLog.Entry entry) {
        Map<String, AttributeValue> item = new HashMap<>(Map.of(
                "version", Attributes.of(VERSION),
                "order", encode(entry.order()),
                "stage", Attributes.of(entry.stage().name().toLowerCase(Locale.ROOT)),
                "atMillis", Attributes.millis(entry.at()),
                "expiresAt",
                        Attributes.of(entry.order().since().plus(OrderLog.KEPT).getEpochSecond())));
        if (entry.endedBy() != null) {
            item.put("endedBy", Attributes.of(entry.endedBy().arn()));
        }
        return item;
    }

    static OrderLog.Entry decodeEntry(Item item) {
        return new OrderLog.Entry(
                decodeOrder(item.map("order")),
                Stage.valueOf(item.text("stage").toUpperCase(Locale.ROOT)),
                item.optionalText("endedBy").map(Principal::new).orElse(null),
                item.instant("atMillis"));
    }
}
