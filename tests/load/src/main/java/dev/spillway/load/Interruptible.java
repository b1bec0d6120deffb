package dev.spillway.load;

import dev.spillway.load.ledger.Bundle;
import dev.spillway.load.replay.Session;
import dev.spillway.load.report.Report;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** A run that Ctrl-C ends in order: no new arrivals, calls hung up, every row settled, and the report written. */
public final class Interruptible {
    private static final long LONGEST_GOODBYE_SECONDS = 120;

    private Interruptible() {}

    /**
     * Runs and reports.
     *
     * @param told shown the report before the process may end
     * @throws IOException if the ledger or the report cannot be written
     */
    public static Report run(Session session, Bundle bundle, Consumer<Report> told)
            throws IOException, InterruptedException {
        CountDownLatch over = new CountDownLatch(1);
        Thread onSignal = new Thread(() -> interrupted(session, over), "stop");
        Runtime.getRuntime().addShutdownHook(onSignal);
        try {
            session.run();
            Report report = Report.of(bundle);
            report.write(bundle);
            told.accept(report);
            System.out.flush();
            return report;
        } finally {
            over.countDown(); // not before the report: the process ends as soon as the hook does
            try {
                Runtime.getRuntime().removeShutdownHook(onSignal);
            } catch (IllegalStateException e) {
                System.err.println("load: interrupted");
            }
        }
    }

    private static void interrupted(Session session, CountDownLatch over) {
        session.stop("interrupted");
        try {
            if (!over.await(LONGEST_GOODBYE_SECONDS, TimeUnit.SECONDS)) {
                System.err.println("load: the run did not end in time; ./spillway load report tells what is missing");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
