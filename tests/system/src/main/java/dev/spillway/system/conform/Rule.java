package dev.spillway.system.conform;

import java.io.IOException;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * One rule of the contract.
 *
 * @param name as in {@code media-container/contract/CONTRACT.md}
 * @param says what a container does
 */
record Rule(String name, String says, Check check) {
    /** Asks one container whether it keeps the rule; what it leaves in the table is put back by {@link Trial#tidy}. */
    @FunctionalInterface
    interface Check {
        void run(Trial trial) throws Violation, IOException, InterruptedException;
    }

    Verdict judge(Trial trial) throws InterruptedException {
        try {
            trial.awaitAlive();
            check.run(trial);
            return new Verdict(name, says, "");
        } catch (Violation e) {
            return new Verdict(name, says, String.valueOf(e.getMessage()));
        } catch (IOException | RuntimeException e) {
            return new Verdict(name, says, "it could not be asked: " + withCauses(e));
        } finally {
            trial.tidy();
        }
    }

    private static String withCauses(Throwable failure) {
        return Stream.iterate(failure, Objects::nonNull, Throwable::getCause)
                .map(Throwable::toString)
                .collect(Collectors.joining(", because of "));
    }
}
