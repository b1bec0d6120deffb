package dev.spillway.lambda;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.spillway.adapters.journal.PhoneNumbers;
import dev.spillway.core.order.Order;
import dev.spillway.core.order.OrderLog;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * An order as the HTTP API shows it.
 *
 * @param order what is ordered
 * @param reason in the operator's words; a phone number in it is masked
 * @param containers of a pin
 * @param stage how far it has come; only in the log
 * @param endedBy who ended it before its time
 * @param endedAt when that was
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record OrderView(
        String id,
        String subject,
        String order,
        @Nullable Integer containers,
        String who,
        String reason,
        String since,
        String until,
        @Nullable String stage,
        @Nullable String endedBy,
        @Nullable String endedAt) {

    /** The newest orders first. */
    record Log(List<OrderView> orders) {}

    static OrderView of(Order order) {
        return of(order, null, null, null);
    }

    static OrderView of(OrderLog.Entry entry) {
        boolean ended = entry.stage() == OrderLog.Stage.ENDED;
        return of(
                entry.order(),
                entry.stage().name().toLowerCase(Locale.ROOT),
                entry.endedBy() == null ? null : entry.endedBy().arn(),
                ended ? entry.at().toString() : null);
    }

    private static OrderView of(
            Order order, @Nullable String stage, @Nullable String endedBy, @Nullable String endedAt) {
        return new OrderView(
                order.id().value(),
                order.what().subject().text(),
                order.what().text(),
                order.what() instanceof Order.Pin pin ? pin.containers() : null,
                order.who().arn(),
                PhoneNumbers.masked(order.reason()),
                order.since().toString(),
                order.until().toString(),
                stage,
                endedBy,
                endedAt);
    }
}
