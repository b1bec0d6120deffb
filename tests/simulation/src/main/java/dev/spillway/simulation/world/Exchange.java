package dev.spillway.simulation.world;

import dev.spillway.core.DependencyException;
import dev.spillway.core.call.CallEnding.FinalStatus;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.Generation;
import dev.spillway.core.call.JobId;
import dev.spillway.core.memory.Sample;
import dev.spillway.core.outbound.Dials;
import dev.spillway.core.outbound.Job;
import dev.spillway.core.tenant.Tenant;
import dev.spillway.core.tenant.TenantId;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Twilio as it makes calls: one a second of each account, the others queued; some requests are refused, some answers are
 * lost. Every call it made can be asked for, alone and in a list.
 */
final class Exchange implements Dials {
    private static final long SECOND = 1_000_000;
    /** A request that was sent in time may be that long on its way: its sender waits no longer for the answer. */
    private static final long ON_THE_WAY = 5;

    private static final int FIRST_CALL = 100_000;

    private final Scheduler scheduler;
    private final Trace trace;
    private final Faults faults;
    private final Watch watch;
    private final Functions functions;
    private final Carrier carrier;
    private final Outgoing outgoing;
    private final Carrier.Manners manners;
    private final long seed;
    private final Machine process = new Machine("twilio out", 0);
    private final Map<JobId, Outgoing.Wish> wishes = new HashMap<>();
    private final Map<TenantId, Long> nextStart = new HashMap<>();
    private final Map<CallSid, CallOut> calls = new LinkedHashMap<>();
    private final Map<JobId, Integer> asked = new HashMap<>();

    Exchange(
            Scheduler scheduler,
            Trace trace,
            Faults faults,
            Watch watch,
            Functions functions,
            Carrier carrier,
            Scenario scenario) {
        this.scheduler = scheduler;
        this.trace = trace;
        this.faults = faults;
        this.watch = watch;
        this.functions = functions;
        this.carrier = carrier;
        this.outgoing = scenario.outgoing();
        this.manners = scenario.manners();
        this.seed = scenario.seed();
    }

    /** Told of every call that Twilio makes. */
    interface Watch {
        Watch NONE = new Watch() {
            @Override
            public void dials(Job job, Generation generation, List<CallOut> before) {}

            @Override
            public void made(CallOut out) {}
        };

        /** Twilio takes a request to dial. */
        void dials(Job job, Generation generation, List<CallOut> before);

        void made(CallOut out);
    }

    /** One call that Twilio made. */
    static final class CallOut {
        private final PhoneCall call;
        private final Job job;
        private final Generation generation;
        private final Instant madeAt;
        private final Outgoing.Callee callee;
        private long overAt = -1;

        private CallOut(PhoneCall call, Job job, Generation generation, Instant madeAt, Outgoing.Callee callee) {
            this.call = call;
            this.job = job;
            this.generation = generation;
            this.madeAt = madeAt;
            this.callee = callee;
        }

        PhoneCall call() {
            return call;
        }

        JobId job() {
            return job.id();
        }

        Generation generation() {
            return generation;
        }

        boolean isOver() {
            return call.isOver();
        }

        /** When it ended; negative as long as it has not. */
        long overAt() {
            return overAt;
        }
    }

    /** That job is for this wish. */
    void expect(JobId job, Outgoing.Wish wish) {
        wishes.put(job, wish);
    }

    /** As a function asks: what it does not know the fate of is unknown. */
    static Dials asked(Dials port) {
        return new Dials() {
            @Override
            public Result dial(Tenant tenant, Job job, Generation generation, Instant notAfter) {
                try {
                    return port.dial(tenant, job, generation, notAfter);
                } catch (DependencyException e) {
                    return e.getCause() instanceof Throttled
                            ? new Result.Refused("Twilio says 429", false)
                            : new Result.Unknown("no answer");
                }
            }

            @Override
            public List<Listed> find(Tenant tenant, String from, String to, Instant since) {
                return port.find(tenant, from, to, since);
            }

            @Override
            public Optional<String> status(Tenant tenant, CallSid call) {
                return port.status(tenant, call);
            }

            @Override
            public boolean hangUp(Tenant tenant, CallSid call) {
                return port.hangUp(tenant, call);
            }
        };
    }

    @Override
    public Result dial(Tenant tenant, Job job, Generation generation, Instant notAfter) {
        if (functions.now().isAfter(notAfter.plusSeconds(ON_THE_WAY))) {
            return new Result.Refused("too late to ask Twilio", false);
        }
        String name = "dial " + number(job) + " no. " + asked.merge(job.id(), 1, Integer::sum);
        Outgoing.Treatment treatment = outgoing.treatment();
        if (faults.happens("refused " + name, treatment.refused())) {
            return new Result.Refused("Twilio says 429", false);
        }
        if (faults.happens("never made " + name, treatment.refused() / 5)) {
            return new Result.Refused("Twilio says 400", true);
        }
        if (faults.happens("unheard " + name, treatment.lost() / 2)) {
            return new Result.Unknown("no answer");
        }
        CallOut out = make(job, generation);
        return faults.happens("unanswered " + name, treatment.lost())
                ? new Result.Unknown("no answer")
                : new Result.Taken(out.call.sid());
    }

    private Outgoing.Wish wish(Job job) {
        Outgoing.Wish wish = wishes.get(job.id());
        if (wish == null) {
            throw new IllegalStateException("nobody asked for job " + job.id());
        }
        return wish;
    }

    /** Its wish's: a call keeps its name, whoever else is called. One job has one call. */
    private int number(Job job) {
        return FIRST_CALL + wish(job).number();
    }

    private CallOut make(Job job, Generation generation) {
        Outgoing.Callee callee = wish(job).callee();
        int number = number(job);
        PhoneCall call = new PhoneCall(
                Sample.call(number),
                job.tenant(),
                number,
                callee.patienceMicros(),
                callee.talkMicros(),
                callee.agentEndsIt());
        CallOut out = new CallOut(call, job, generation, scheduler.instant(), callee);
        watch.dials(job, generation, List.copyOf(calls.values()));
        calls.put(call.sid(), out);
        watch.made(out);
        call.progress(PhoneCall.Progress.QUEUED);
        carrier.add(call);
        trace.write("twilio", () -> "takes " + call + " (" + call.sid() + ") for job " + job.id());
        long start = Math.max(scheduler.now(), nextStart.getOrDefault(job.tenant(), 0L));
        nextStart.put(job.tenant(), start + SECOND);
        scheduler.spawn(call.toString(), process, start - scheduler.now(), () -> live(out));
        return out;
    }

    private void live(CallOut out) {
        PhoneCall call = out.call;
        if (!call.isOver()) {
            notice(out, "initiated");
            call.progress(PhoneCall.Progress.RINGING);
            notice(out, "ringing");
            scheduler.await(call.nextNews(), out.callee.ringMicros());
        }
        if (!call.isOver()) {
            switch (out.callee.end()) {
                case BUSY -> call.end(FinalStatus.BUSY);
                case NO_ANSWER -> call.end(FinalStatus.NO_ANSWER);
                case FAILED -> call.end(FinalStatus.FAILED);
                case ANSWERED -> {
                    call.answered();
                    notice(out, "in-progress");
                    carrier.answered(call, cause -> functions.dialled(out.job.id(), out.generation, call.sid(), cause));
                }
            }
        }
        out.overAt = scheduler.now();
        trace.write("twilio", () -> call + " is over: " + call.ended());
        notice(out, out.call.word());
    }

    private void notice(CallOut out, String word) {
        String name = "notice " + word + " of " + out.call;
        if (faults.happens("lost " + name, manners.lost())) {
            return;
        }
        long delay = faults.happens("late " + name, manners.late())
                ? Chance.of(seed, name).between(SECOND, 90 * SECOND)
                : SECOND / 4;
        functions.outboundStatus(out.job.id(), out.generation, out.call.sid(), word, delay);
        if (faults.happens("doubled " + name, manners.doubled())) {
            functions.outboundStatus(out.job.id(), out.generation, out.call.sid(), word, 3 * delay);
        }
    }

    /** The newest first. Twilio dates a call by whole seconds. */
    @Override
    public List<Listed> find(Tenant tenant, String from, String to, Instant since) {
        return List.copyOf(calls.values()).reversed().stream()
                .filter(out -> out.job.from().equals(from)
                        && out.job.to().equals(to)
                        && out.job.tenant().equals(tenant.id())
                        && !Instant.ofEpochSecond(out.madeAt.getEpochSecond()).isBefore(since))
                .map(out -> new Listed(out.call.sid(), out.call.word()))
                .toList();
    }

    @Override
    public Optional<String> status(Tenant tenant, CallSid sid) {
        return of(tenant, sid).map(out -> out.call.word());
    }

    /** Each tenant has an account of its own: Twilio knows no other's calls. */
    private Optional<CallOut> of(Tenant tenant, CallSid sid) {
        return Optional.ofNullable(calls.get(sid))
                .filter(out -> out.job.tenant().equals(tenant.id()));
    }

    @Override
    public boolean hangUp(Tenant tenant, CallSid sid) {
        CallOut out = of(tenant, sid).orElse(null);
        if (out == null || out.isOver()) {
            return false;
        }
        if (out.call.isArrived()) {
            carrier.hangUp(out.call);
        } else {
            // What Twilio calls it then nobody could verify.
            boolean canceled = Chance.of(seed, "hang-up of " + out.call).hits(0.5);
            out.call.end(canceled ? FinalStatus.CANCELED : FinalStatus.COMPLETED);
        }
        return true;
    }

    /** Every call that was made, in that order. */
    List<CallOut> calls() {
        return List.copyOf(calls.values());
    }
}
