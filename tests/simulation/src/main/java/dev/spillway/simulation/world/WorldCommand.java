package dev.spillway.simulation.world;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Runs seeds: many of them, or one again with its whole trace. */
@Command(
        name = "spillway simulate",
        mixinStandardHelpOptions = true,
        description = {
            "The flows of the functions and of the containers on virtual time, with faults; every choice comes from a seed.",
            "With --schedule: the policy laboratory instead; see --schedule FILE --help."
        },
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {"0:every invariant held", "1:the simulation itself failed", "3:an invariant is broken"})
public final class WorldCommand implements Callable<Integer> {
    private static final int BROKEN = 3;

    @Option(names = "--seed", paramLabel = "N", description = "Run this seed alone, and print its trace.")
    private @Nullable Long seed;

    @Option(
            names = "--seeds",
            paramLabel = "N",
            description = "Run that many seeds (default: ${DEFAULT-VALUE}).",
            defaultValue = "2000")
    private long seeds;

    @Option(
            names = "--from",
            paramLabel = "N",
            description = "The first of them (default: ${DEFAULT-VALUE}).",
            defaultValue = "1")
    private long from;

    @Option(
            names = "--minutes",
            paramLabel = "M",
            description = "Begin no seed after that time (default: ${DEFAULT-VALUE}).",
            defaultValue = "60")
    private long minutes;

    @Option(
            names = "--failures",
            paramLabel = "N",
            description = "Begin no seed after that many failures (default: ${DEFAULT-VALUE}).",
            defaultValue = "1")
    private int failures;

    @Option(
            names = "--plant",
            paramLabel = "FAULT",
            description = "Plant a fault, to see how soon it is found: ${COMPLETION-CANDIDATES}.",
            defaultValue = "NONE")
    private Mutation planted = Mutation.NONE;

    @Option(names = "--whole", description = "With --seed: do not shrink a failing run.")
    private boolean whole;

    @Override
    public Integer call() {
        return seed == null ? many() : one(seed);
    }

    private int one(long which) {
        Outcome outcome = new World(Scenario.of(which), Set.of(), planted, true).run();
        outcome.trace().forEach(System.out::println);
        System.out.println(outcome.scenario().words());
        System.out.println(outcome.steps() + " steps in " + outcome.seconds() + " virtual s, attempts "
                + FaultCounts.counted(outcome.tally()) + ", trace " + Long.toHexString(outcome.hash()));
        if (outcome.violation().isEmpty()) {
            System.out.println("every invariant held");
            return 0;
        }
        System.out.println(Report.brief(outcome));
        if (!whole) {
            System.out.println();
            Report.print(System.out, new Shrinking(outcome, planted, within(Duration.ofMinutes(2))).shrink(), true);
        }
        return BROKEN;
    }

    private int many() {
        Seeds.Result result = Seeds.run(from, seeds, planted, failures, within(Duration.ofMinutes(minutes)));
        System.out.println(result.words());
        if (result.failures().isEmpty()) {
            return 0;
        }
        result.failures().forEach(failure -> System.out.println(Report.brief(failure)));
        Report.print(
                System.out,
                new Shrinking(result.failures().getFirst(), planted, within(Duration.ofMinutes(2))).shrink(),
                false);
        return BROKEN;
    }

    private static BooleanSupplier within(Duration time) {
        long end = System.nanoTime() + time.toNanos();
        return () -> System.nanoTime() - end < 0;
    }
}
