package dev.spillway.simulation.world;

import dev.spillway.adapters.twilio.TwilioDials;
import dev.spillway.core.contract.DialsContract;
import dev.spillway.core.outbound.Dials;
import dev.spillway.core.outbound.Job;
import dev.spillway.core.tenant.Tenant;
import dev.spillway.core.tenant.TenantId;
import dev.spillway.localcloud.twilio.CallScript;
import dev.spillway.localcloud.twilio.Callee;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** The adapter that the functions use, before a stand-in for Twilio. */
class TwilioDialsContractTest extends DialsContract {
    private static final Duration SOON = Duration.ofMillis(50);
    private final StandInTwilio twilio = new StandInTwilio();
    private final Map<String, Callee> people = new ConcurrentHashMap<>();
    private final TwilioDials dials =
            new TwilioDials(twilio.api(), twilio.callbacks(), StandInTwilio.tokens(), InstantSource.system());

    @BeforeEach
    void people() {
        twilio.twilio().whenDialled(number -> people.getOrDefault(number, new Callee.RingsOn()));
    }

    @AfterEach
    void close() {
        dials.close();
        twilio.close();
    }

    @Override
    protected Dials dials() {
        return dials;
    }

    @Override
    protected Tenant tenant(TenantId id) {
        return StandInTwilio.tenant(id);
    }

    @Override
    protected Instant now() {
        return Instant.now();
    }

    @Override
    protected void expect(Job job, Person person) {
        people.put(
                job.to(),
                switch (person) {
                    case LETS_IT_RING -> new Callee.RingsOn();
                    case IS_BUSY -> new Callee.Busy(SOON);
                    case IS_AWAY -> new Callee.NoAnswer(SOON);
                    case CANNOT_BE_REACHED -> new Callee.Fails(SOON);
                    case PICKS_UP -> new Callee.Answers(SOON, CallScript.ofTurns(1));
                });
    }

    @Override
    protected void dialSlowly() {
        twilio.twilio().callsPerSecond(0.01);
    }

    @Override
    protected void refuse() {
        twilio.twilio().throttle(true);
    }

    @Override
    protected void loseReply() {
        twilio.twilio().loseDialReplies(1);
    }

    @Override
    protected void await(BooleanSupplier so) {
        StandInTwilio.await(so);
    }
}
