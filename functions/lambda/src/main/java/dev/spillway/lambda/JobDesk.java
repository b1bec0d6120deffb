package dev.spillway.lambda;

import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPResponse;
import dev.spillway.adapters.RandomJobIds;
import dev.spillway.adapters.Sha256;
import dev.spillway.core.DependencyException;
import dev.spillway.core.call.JobId;
import dev.spillway.core.outbound.Job;
import dev.spillway.core.outbound.JobCanceling;
import dev.spillway.core.outbound.JobCheck;
import dev.spillway.core.outbound.JobCheck.Problem;
import dev.spillway.core.outbound.JobIntake;
import dev.spillway.core.outbound.JobIntake.Intake;
import dev.spillway.core.outbound.JobWish;
import dev.spillway.core.outbound.Jobs;
import dev.spillway.core.outbound.OutboundPolicy;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.Pools;
import dev.spillway.core.stream.StreamKey;
import dev.spillway.core.tenant.Principal;
import dev.spillway.core.tenant.Tenant;
import dev.spillway.core.tenant.TenantId;
import dev.spillway.core.tenant.Tenants;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Takes jobs, shows them and cancels them. Whatever is refused wrote nothing. */
final class JobDesk {
    private static final Problem TWO_TENANTS = new Problem("tenant", "all calls of a request are of one tenant");
    private static final String NO_TENANT = "no such tenant";

    private final Gate gate;
    private final Tenants tenants;
    private final Pools pools;
    private final Jobs jobs;
    private final JobCheck check;
    private final JobIntake intake;
    private final JobCanceling canceling;
    private final RandomJobIds ids;
    private final Function<PoolId, StreamKey> streamKeys;
    private final InstantSource clock;

    JobDesk(
            Gate gate,
            Tenants tenants,
            Pools pools,
            Jobs jobs,
            JobCheck check,
            JobIntake intake,
            JobCanceling canceling,
            RandomJobIds ids,
            Function<PoolId, StreamKey> streamKeys,
            InstantSource clock) {
        this.gate = gate;
        this.tenants = tenants;
        this.pools = pools;
        this.jobs = jobs;
        this.check = check;
        this.intake = intake;
        this.canceling = canceling;
        this.ids = ids;
        this.streamKeys = streamKeys;
        this.clock = clock;
    }

    /** @param key the caller's idempotency key; null for none */
    APIGatewayV2HTTPResponse take(String body, @Nullable String key, Principal who) {
        return switch (JobBody.parse(body)) {
            case JobBody.Parsed.Refused refused -> refused.problem().response();
            case JobBody.Parsed.Faulty faulty -> refuse(faulty, who);
            case JobBody.Parsed.Read read when key == null && !read.single() -> ProblemDetails.NO_KEY.response();
            case JobBody.Parsed.Read read -> take(read, key, Sha256.hex(body), who);
        };
    }

    private APIGatewayV2HTTPResponse take(
            JobBody.Parsed.Read read, @Nullable String key, String bodyHash, Principal who) {
        Set<TenantId> named = tenants(read);
        if (named.size() != 1) {
            return ProblemDetails.faulty(List.of(TWO_TENANTS));
        }
        TenantId id = named.iterator().next();
        return gate.within(who, id, tenant -> take(id, tenant, read, key, bodyHash));
    }

    private static Set<TenantId> tenants(JobBody.Parsed.Read read) {
        return read.wishes().stream()
                .map(JobWish::tenant)
                .filter(Objects::nonNull)
                .collect(Collectors.toSet());
    }

    /** Faults of form do not hide those of value: if it can be told whose calls these are, every field at fault is named. */
    private APIGatewayV2HTTPResponse refuse(JobBody.Parsed.Faulty faulty, Principal who) {
        Set<TenantId> named = tenants(faulty.rest());
        List<Problem> problems = new ArrayList<>(faulty.problems());
        if (named.size() != 1) {
            if (named.size() > 1) {
                problems.add(TWO_TENANTS);
            }
            return ProblemDetails.faulty(problems);
        }
        TenantId id = named.iterator().next();
        return gate.within(who, id, tenant -> {
            Optional<OutboundPolicy> policy = policy(id);
            if (tenant.isEmpty() || policy.isEmpty()) {
                problems.add(new Problem(faulty.rest().field(0, "tenant"), NO_TENANT));
                return ProblemDetails.faulty(problems);
            }
            Instant now = clock.instant();
            for (int i = 0; i < faulty.rest().wishes().size(); i++) {
                JobWish wish = faulty.rest().wishes().get(i);
                if (check.check(wish, tenant.get(), policy.get(), ids.next(id), now)
                        instanceof JobCheck.Checked.Faulty(List<Problem> more)) {
                    for (Problem problem : more) {
                        if (!faulty.names(i, problem.field())) {
                            problems.add(new Problem(faulty.rest().field(i, problem.field()), problem.reason()));
                        }
                    }
                }
            }
            return ProblemDetails.faulty(problems);
        });
    }

    private Optional<OutboundPolicy> policy(TenantId id) {
        return pools.read(PoolId.of(id)).map(view -> view.pool().outbound().policy());
    }

    private APIGatewayV2HTTPResponse take(
            TenantId id, Optional<Tenant> tenant, JobBody.Parsed.Read read, @Nullable String key, String bodyHash) {
        Optional<OutboundPolicy> policy = policy(id);
        if (tenant.isEmpty() || policy.isEmpty()) {
            return ProblemDetails.faulty(List.of(new Problem(read.field(0, "tenant"), NO_TENANT)));
        }
        if (key != null) {
            Optional<Intake> before = intake.repeated(id, key, bodyHash);
            if (before.isPresent()) {
                return reply(before.get());
            }
        }
        Instant now = clock.instant();
        Optional<StreamKey> hashing = hashing(id);
        List<Job> made = new ArrayList<>();
        List<Problem> problems = new ArrayList<>();
        for (int i = 0; i < read.wishes().size(); i++) {
            JobWish wish = read.wishes().get(i);
            switch (check.check(wish, tenant.get(), policy.get(), ids.next(id), now)) {
                case JobCheck.Checked.Sound sound ->
                    made.add(hashing.map(hash -> sound.job()
                                    .calling(hash.callerHash(sound.job().to())))
                            .orElse(sound.job()));
                case JobCheck.Checked.Faulty faulty -> {
                    for (Problem problem : faulty.problems()) {
                        problems.add(new Problem(read.field(i, problem.field()), problem.reason()));
                    }
                }
            }
        }
        return problems.isEmpty()
                ? reply(intake.accept(id, policy.get(), made, key, bodyHash, now))
                : ProblemDetails.faulty(problems);
    }

    /** What links a job to the first one to the same person; without it the job is made all the same. */
    private Optional<StreamKey> hashing(TenantId tenant) {
        try {
            return Optional.of(streamKeys.apply(PoolId.of(tenant)));
        } catch (DependencyException e) {
            return Optional.empty();
        }
    }

    private static APIGatewayV2HTTPResponse reply(Intake intake) {
        return switch (intake) {
            case Intake.Accepted accepted -> Replies.json(202, JobView.accepted(accepted.jobs()));
            case Intake.Conflict conflict -> ProblemDetails.CONFLICT.response();
            case Intake.TooManyWaiting full -> ProblemDetails.tooMany(full.reason());
        };
    }

    APIGatewayV2HTTPResponse show(JobId id) {
        return jobs.find(id).map(job -> Replies.json(200, JobView.of(job))).orElseGet(ProblemDetails.UNKNOWN::response);
    }

    /** 200 if the job is over now, or was; 202 if its call is still being hung up. */
    APIGatewayV2HTTPResponse cancel(JobId id) {
        return tenants.find(id.tenant())
                .flatMap(tenant -> canceling.cancel(tenant, id, clock.instant()))
                .map(job -> Replies.json(job.state().isInFlight() ? 202 : 200, JobView.of(job)))
                .orElseGet(ProblemDetails.UNKNOWN::response);
    }
}
