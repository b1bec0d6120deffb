package dev.spillway.core.console;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.ACME_POOL;
import static dev.spillway.core.memory.Sample.NOW;
import static dev.spillway.core.memory.Sample.NO_SLOTS;
import static dev.spillway.core.memory.Sample.acme;
import static dev.spillway.core.memory.Sample.call;
import static dev.spillway.core.memory.Sample.container;
import static dev.spillway.core.memory.Sample.gateway;
import static dev.spillway.core.memory.Sample.minutes;
import static dev.spillway.core.memory.Sample.ready;
import static dev.spillway.core.memory.Sample.seconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.core.attempt.AttemptListing;
import dev.spillway.core.attempt.Cause;
import dev.spillway.core.attempt.Step;
import dev.spillway.core.call.Answer;
import dev.spillway.core.call.Call;
import dev.spillway.core.call.Outcome;
import dev.spillway.core.memory.MemoryTable;
import dev.spillway.core.memory.Sample;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.Pool;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.tenant.TenantId;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ConsoleReadingTest {
    private final MemoryTable table = new MemoryTable();
    private final ConsoleReading reading = new ConsoleReading(table.pools(), new AttemptListing(table.listing()));

    @BeforeEach
    void anEmptyPoolAndAGateway() {
        table.put(acme());
        table.put(gateway());
    }

    private Console read(Instant now) {
        return reading.read(ACME, now).orElseThrow();
    }

    /** Somebody calls then, is held by the gateway at once, and gives up a second later. */
    private void abandoned(int n, Instant at) {
        table.calls().begin(Call.arrived(ACME, call(n), null, at));
        table.calls()
                .place(
                        ACME,
                        call(n),
                        0,
                        Sample.stream(PoolId.GATEWAY, "gw1", 1, n, at),
                        List.of(Step.held(1, container("gw1"), Cause.FULL, NO_SLOTS, "no free slot", at)));
        table.calls()
                .end(
                        ACME,
                        call(n),
                        Outcome.ABANDONED,
                        at.plusSeconds(1),
                        List.of(Step.ended(1, Outcome.ABANDONED, "the caller hung up", at.plusSeconds(1))));
    }

    @Test
    void decisions_from_the_pool_its_containers_and_its_calls_come_in_the_order_of_time_the_newest_first() {
        abandoned(1, seconds(10));
        table.put(ready(ACME_POOL, "a1").withState(Sample.ready(ACME_POOL, "a1").state(), "serving", seconds(20)));
        table.pools().note(ACME_POOL, new Pool.Decision("scale out 0 -> 1", "1 call waits", seconds(10)));

        assertThat(read(seconds(30)).decisions())
                .extracting(Told::what)
                .containsExactly("READY", "ended", "scale out 0 -> 1", "held");
        Told held = read(seconds(30)).decisions().getLast();
        assertThat(held)
                .isEqualTo(new Told(
                        seconds(10), Told.Subject.CALL, call(1).value(), "held", "gw1", Cause.FULL, "no free slot", 1));
    }

    @Test
    void many_calls_do_not_crowd_out_what_was_decided_about_the_pool() {
        table.pools().note(ACME_POOL, new Pool.Decision("scale out 0 -> 1", "1 call waits", NOW));
        for (int n = 1; n <= 50; n++) {
            abandoned(n, seconds(n));
        }

        Console console = read(minutes(2));

        assertThat(console.attempts().offered()).isEqualTo(50);
        assertThat(console.decisions()).hasSize(1 + 40); // the last 20 calls, two decisions each
        assertThat(console.decisions().getFirst().about()).isEqualTo(call(50).value());
        assertThat(console.decisions().getLast().what()).isEqualTo("scale out 0 -> 1");
    }

    @Test
    void what_befalls_an_older_call_is_told_when_it_is_moved() {
        table.put(ready(ACME_POOL, "a1"));
        table.calls().begin(Call.arrived(ACME, call(99), null, NOW));
        table.calls().place(ACME, call(99), 0, Sample.stream(PoolId.GATEWAY, "gw1", 1, 99, NOW), List.of());
        for (int n = 1; n <= 30; n++) {
            abandoned(n, seconds(n));
        }
        assertThat(read(minutes(2)).decisions()).noneMatch(told -> told.about().equals(call(99).value()));

        Answer.Stream own = Sample.stream(ACME_POOL, "a1", 2, 99, minutes(2));
        table.calls()
                .place(
                        ACME,
                        call(99),
                        1,
                        own,
                        List.of(Step.moved(2, ACME_POOL, container("a1"), "this slot was offered", minutes(2))));
        table.containers()
                .claim(
                        ACME_POOL,
                        container("a1"),
                        call(99),
                        Claim.reserved(own.generation(), ACME, NOW, minutes(2)),
                        6,
                        NOW);

        assertThat(read(minutes(3)).decisions())
                .filteredOn(told -> told.about().equals(call(99).value()))
                .extracting(Told::what)
                .containsExactly("moved");
        assertThat(read(minutes(8)).decisions()).noneMatch(told -> told.about().equals(call(99).value()));
    }

    @Test
    void attempts_of_the_last_hour_are_counted() {
        abandoned(1, NOW);
        abandoned(2, minutes(30));

        assertThat(read(minutes(60)).attempts().offered()).isEqualTo(2);
        assertThat(read(minutes(61)).attempts().offered()).isEqualTo(1);
        assertThat(read(minutes(61)).since()).isEqualTo(minutes(1));
    }

    @Test
    void a_pool_of_which_nothing_was_decided_tells_nothing() {
        assertThat(read(NOW).decisions()).isEmpty();
        assertThat(reading.read(new TenantId("nobody"), NOW)).isEmpty();
    }
}
