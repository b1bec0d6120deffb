package dev.spillway.localcloud;

/** Turns a task into the command of a real process. The stand-in starts it and owns its streams and its end. */
@FunctionalInterface
public interface TaskLauncher {

    /**
     * The command of the task, not yet started, with whatever environment it needs. Called under the cluster's lock: must
     * not block and must not call the stand-in. An exception counts as a failed start of the task.
     */
    ProcessBuilder command(TaskStart start);
}
