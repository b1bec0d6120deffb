package dev.spillway.adapters.dynamodb;

import dev.spillway.adapters.Sha256;
import dev.spillway.core.call.JobId;
import dev.spillway.core.outbound.Job;
import dev.spillway.core.outbound.JobState;
import dev.spillway.core.outbound.Jobs;
import dev.spillway.core.tenant.TenantId;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/**
 * The jobs' items. Those at hand lie in one partition of their tenant, so that one query finds what is to be done; a job
 * that ended some time ago has a partition of its own. A change is
 *
 * <pre>{@code
 * PUT the job  IF jobVersion = :before
 * }</pre>
 */
public final class DynamoJobs implements Jobs {
    private final Table table;
    private final InstantSource clock;

    public DynamoJobs(DynamoDbClient client, String table, InstantSource clock) {
        this.table = new Table(client, table);
        this.clock = clock;
    }

    @Override
    public boolean create(Job job) {
        return write(job, Change.onlyIf("attribute_not_exists(#pk)"));
    }

    @Override
    public boolean replace(Job next) {
        return write(next, Change.onlyIf("#jobVersion = :before").value(":before", next.version() - 1));
    }

    private boolean write(Job job, Change condition) {
        Mark mark = Mark.fresh();
        Map<String, AttributeValue> item = new HashMap<>(JobCodec.encode(job));
        item.put("jobMark", Attributes.of(mark.text()));
        return table.put(Key.atHand(job.id()), item, condition, mark.in("jobMark"))
                .isApplied();
    }

    @Override
    public Optional<Job> find(JobId id) {
        // In this order: a job is put by before it is taken from those at hand.
        return table.get(Key.atHand(id)).or(() -> table.get(Key.putBy(id))).map(item -> item.decode(JobCodec::decode));
    }

    @Override
    public List<Job> atHand(TenantId tenant) {
        return table.query(Key.jobsPartition(tenant)).stream()
                .map(item -> item.decode(JobCodec::decode))
                .toList();
    }

    @Override
    public boolean isAnyAtHand(TenantId tenant) {
        return table.hasAny(Key.jobsPartition(tenant));
    }

    @Override
    public void putBy(Job ended) {
        if (!(ended.state() instanceof JobState.Ended)) {
            throw new IllegalArgumentException(ended + " goes on");
        }
        table.put(Key.putBy(ended.id()), JobCodec.encode(ended));
        table.delete(
                Key.atHand(ended.id()),
                Change.onlyIf("#jobVersion = :version").value(":version", ended.version()),
                Table.Own.NOTHING);
    }

    @Override
    public Submission remember(Submission submission) {
        Key key = key(submission.tenant(), submission.key());
        boolean first = table.put(
                        key,
                        JobCodec.encode(submission, clock.instant()),
                        Change.onlyIf("attribute_not_exists(#pk)"),
                        (found, replyLost) -> found.map(item -> item.decode(JobCodec::decodeSubmission))
                                .filter(submission::equals)
                                .isPresent())
                .isApplied();
        return first
                ? submission
                : submission(submission.tenant(), submission.key())
                        .orElseThrow(() -> new IllegalStateException("a submission is never deleted so soon"));
    }

    @Override
    public Optional<Submission> submission(TenantId tenant, String key) {
        return table.get(key(tenant, key)).map(item -> item.decode(JobCodec::decodeSubmission));
    }

    private static Key key(TenantId tenant, String key) {
        return Key.ofSubmission(tenant, Sha256.hex(key));
    }
}
