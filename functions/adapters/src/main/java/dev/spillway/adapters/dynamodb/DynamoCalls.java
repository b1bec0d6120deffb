package dev.spillway.adapters.dynamodb;

import dev.spillway.core.call.Answer;
import dev.spillway.core.call.Call;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.Calls;
import dev.spillway.core.call.Generation;
import dev.spillway.core.call.Offer;
import dev.spillway.core.call.Outcome;
import dev.spillway.core.tenant.TenantId;
import java.time.Instant;
import java.util.Optional;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;

/** The calls' items. */
public final class DynamoCalls implements Calls {
    public DynamoCalls(DynamoDbClient client, String table) {}

    @Override
    public boolean begin(Call call) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Optional<Call> find(TenantId tenant, CallSid sid) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean place(TenantId tenant, CallSid sid, int fromHop, Answer answer) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean offer(TenantId tenant, CallSid sid, int hop, Offer offer) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean withdraw(TenantId tenant, CallSid sid, Generation offer) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean connect(TenantId tenant, CallSid sid, Generation generation) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean adopt(TenantId tenant, CallSid sid, Answer.Stream here, Instant arrivedAt) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void finish(TenantId tenant, CallSid sid) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean end(TenantId tenant, CallSid sid, Outcome outcome, Instant now) {
        throw new UnsupportedOperationException();
    }
}
