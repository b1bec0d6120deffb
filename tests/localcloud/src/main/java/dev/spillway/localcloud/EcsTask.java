package dev.spillway.localcloud;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** One task of a service, from PROVISIONING to STOPPED. Not thread-safe: guarded by the cluster's lock. */
final class EcsTask {

    enum Status {
        PROVISIONING,
        PENDING,
        RUNNING,
        DEACTIVATING,
        STOPPING,
        STOPPED
    }

    /** What a task needs from its surroundings. */
    interface Host {
        /** Starts the process of the task. */
        TaskProcess spawn(EcsTask task) throws IOException;

        TargetRegistry targets();

        /** The task's status changed. */
        void changed(EcsTask task);
    }

    final TaskStart start;
    final ServiceSpec service;
    final String deploymentId;
    final Instant createdAt;
    final Instant pendingAt;
    final Instant spawnAt;
    final Path log;
    final @Nullable LaunchFault fault;

    private final Host host;
    private Status status = Status.PROVISIONING;
    private boolean wantedStopped;
    private int version = 1;
    private @Nullable TaskProcess process;
    private @Nullable Instant startedAt;
    private @Nullable Instant stoppingAt;
    private @Nullable Instant stoppedAt;
    private @Nullable Instant protectedUntil;
    private @Nullable String stopCode;
    private @Nullable String stoppedReason;
    private @Nullable Integer exitCode;

    EcsTask(
            TaskStart start,
            ServiceSpec service,
            String deploymentId,
            Instant createdAt,
            Duration untilSpawn,
            Path log,
            @Nullable LaunchFault fault,
            Host host) {
        this.start = start;
        this.service = service;
        this.deploymentId = deploymentId;
        this.createdAt = createdAt;
        this.pendingAt = createdAt.plus(untilSpawn.dividedBy(2));
        Duration late = fault instanceof LaunchFault.Late(Duration by) ? by : Duration.ZERO;
        this.spawnAt = createdAt.plus(untilSpawn).plus(late);
        this.log = log;
        this.fault = fault;
        this.host = host;
    }

    /** Takes every step that is due; returns when nothing more is. */
    void advance(Instant now) {
        Status before;
        do {
            before = status;
            step(now);
        } while (before != status);
    }

    private void step(Instant now) {
        switch (status) {
            case PROVISIONING -> {
                if (wantedStopped) {
                    end(now);
                } else if (!now.isBefore(pendingAt)) {
                    become(Status.PENDING);
                }
            }
            case PENDING -> {
                if (wantedStopped) {
                    end(now);
                } else if (!now.isBefore(spawnAt) && !(fault instanceof LaunchFault.Never)) {
                    launch(now);
                }
            }
            case RUNNING -> {
                if (exited()) {
                    requestStop("EssentialContainerExited", "Essential container in task exited", now);
                    deregister();
                    end(now);
                } else if (wantedStopped) {
                    deregister();
                    become(Status.DEACTIVATING);
                }
            }
            case DEACTIVATING -> {
                if (exited()) {
                    end(now);
                } else if (service.targetGroup() == null || host.targets().drained(service.targetGroup(), port())) {
                    process().terminate(now, service.stopTimeout());
                    become(Status.STOPPING);
                }
            }
            case STOPPING -> {
                if (exited()) {
                    end(now);
                } else {
                    process().killIfOverdue(now);
                }
            }
            case STOPPED -> {}
        }
    }

    private void launch(Instant now) {
        if (fault instanceof LaunchFault.Fails(String code, String reason)) {
            requestStop(code, reason, now);
            end(now);
            return;
        }
        try {
            process = host.spawn(this);
            if (service.targetGroup() != null) {
                host.targets().register(service.targetGroup(), port());
            }
        } catch (IOException | RuntimeException e) {
            if (process != null) {
                process.kill();
                process.awaitExit(Duration.ofSeconds(1));
            }
            requestStop("TaskFailedToStart", "CannotStartContainerError: " + e.getMessage(), now);
            end(now);
            return;
        }
        startedAt = now;
        become(Status.RUNNING);
    }

    private void deregister() {
        if (service.targetGroup() != null) {
            host.targets().deregister(service.targetGroup(), port());
        }
    }

    private void end(Instant now) {
        if (process != null && !process.alive()) {
            exitCode = process.exitCode();
        }
        stoppedAt = now;
        become(Status.STOPPED);
    }

    private void become(Status next) {
        status = next;
        version++;
        host.changed(this);
    }

    private boolean exited() {
        return !process().alive();
    }

    private TaskProcess process() {
        if (process == null) {
            throw new IllegalStateException("task " + id() + " is " + status + " and has no process");
        }
        return process;
    }

    /** The first reason stays. */
    void requestStop(String code, String reason, Instant now) {
        if (!wantedStopped) {
            wantedStopped = true;
            stopCode = code;
            stoppedReason = reason;
            stoppingAt = now;
        }
    }

    void protect(@Nullable Instant until) {
        protectedUntil = until;
    }

    boolean protectedAt(Instant now) {
        return protectedUntil != null && now.isBefore(protectedUntil);
    }

    /** Neither stopped nor asked to stop. */
    boolean active() {
        return !wantedStopped && status != Status.STOPPED;
    }

    boolean running() {
        return status == Status.RUNNING && !wantedStopped;
    }

    boolean stopped() {
        return status == Status.STOPPED;
    }

    /** Ended by itself within {@code limit} of its start, or never started: the kind of end that slows launches down. */
    boolean failedQuickly(Duration limit) {
        if (stoppedAt == null || stopCode == null) {
            return false;
        }
        if (startedAt == null) {
            return stopCode.equals("TaskFailedToStart");
        }
        return stopCode.equals("EssentialContainerExited")
                && exitCode != null
                && exitCode != 0
                && Duration.between(startedAt, stoppedAt).compareTo(limit) < 0;
    }

    /** When this task has to be looked at again even if nothing happens. */
    Instant nextLook(Instant otherwise) {
        return switch (status) {
            case PROVISIONING -> pendingAt;
            case PENDING -> fault instanceof LaunchFault.Never ? otherwise : spawnAt;
            case STOPPING -> {
                Instant killAt = process().killAt();
                yield killAt == null ? otherwise : killAt;
            }
            case RUNNING, DEACTIVATING, STOPPED -> otherwise;
        };
    }

    String id() {
        return start.taskId();
    }

    String arn() {
        return start.taskArn();
    }

    int port() {
        return start.port();
    }

    Status status() {
        return status;
    }

    String desiredStatus() {
        return wantedStopped ? "STOPPED" : "RUNNING";
    }

    int version() {
        return version;
    }

    @Nullable
    TaskProcess maybeProcess() {
        return process;
    }

    @Nullable
    Instant startedAt() {
        return startedAt;
    }

    @Nullable
    Instant stoppingAt() {
        return stoppingAt;
    }

    @Nullable
    Instant stoppedAt() {
        return stoppedAt;
    }

    @Nullable
    String stopCode() {
        return stopCode;
    }

    @Nullable
    String stoppedReason() {
        return stoppedReason;
    }

    @Nullable
    Integer exitCode() {
        return exitCode;
    }

    @Nullable
    Instant protectedUntil(Instant now) {
        return protectedAt(now) ? protectedUntil : null;
    }

    TaskSnapshot snapshot(Instant now) {
        return new TaskSnapshot(
                arn(),
                id(),
                start.service(),
                start.family(),
                start.revision(),
                start.availabilityZone(),
                port(),
                process == null ? -1 : process.pid(),
                status.name(),
                desiredStatus(),
                createdAt,
                startedAt,
                stoppedAt,
                protectedUntil(now),
                stopCode,
                stoppedReason,
                exitCode);
    }
}
