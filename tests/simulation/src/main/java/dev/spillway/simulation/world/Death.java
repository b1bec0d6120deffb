package dev.spillway.simulation.world;

/** The process that runs this code is gone. An error, so that no flow that is ready for failures takes it for one. */
final class Death extends Error {
    private static final long serialVersionUID = 1L;

    Death(String process) {
        super(process, null, false, false);
    }
}
