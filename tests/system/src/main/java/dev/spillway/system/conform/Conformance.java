package dev.spillway.system.conform;

import dev.spillway.core.Timing;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.tenant.TenantId;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The rules of the contract, asked of one container in the order of its life. */
public final class Conformance {
    private static final List<Rule> RULES = Stream.of(
                    LifeRules.BEFORE_CALLS, CallRules.ALL, PoolRules.ALL, LifeRules.AFTER_CALLS)
            .flatMap(List::stream)
            .toList();

    private final Trial trial;

    /**
     * @param url where the container is reached
     * @param tenant whose pool it is; see {@link Ground#environment}
     * @param container the id of its task
     * @param timing that it keeps
     * @param contract the folder of the schemas
     * @param patience every time-out is multiplied by it: 1 on an idle machine
     * @param started its process; null if nobody here knows it
     */
    public Conformance(
            Ground ground,
            URI url,
            String tenant,
            String container,
            Timing timing,
            Path contract,
            double patience,
            @Nullable Started started) {
        this.trial = new Trial(
                ground, url, new TenantId(tenant), new ContainerId(container), timing, contract, patience, started);
    }

    /** The rules' names, in the order in which they are asked. */
    public static List<String> names() {
        return RULES.stream().map(Rule::name).toList();
    }

    /**
     * Asks the container, which is READY.
     *
     * @param only the rules to ask for; empty for all
     * @param told each verdict as it comes
     */
    public List<Verdict> judge(Set<String> only, Consumer<Verdict> told) throws InterruptedException, IOException {
        if (!names().containsAll(only)) {
            throw new IOException("the rules are " + names() + ", not " + only);
        }
        List<Verdict> verdicts = new ArrayList<>();
        for (Rule rule : RULES) {
            if (only.isEmpty() || only.contains(rule.name())) {
                Verdict verdict = rule.judge(trial);
                verdicts.add(verdict);
                told.accept(verdict);
            }
        }
        return verdicts;
    }
}
