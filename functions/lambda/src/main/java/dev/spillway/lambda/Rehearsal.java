package dev.spillway.lambda;

import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPResponse;
import dev.spillway.core.journal.Journal;
import dev.spillway.core.journal.Journal.Entry;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.crac.Context;
import org.crac.Core;
import org.crac.Resource;

/**
 * What happens before SnapStart takes its snapshot: one call is answered from beginning to end, with clients and adapters of
 * its own, against a stand-in of AWS on loopback. So every class that an answer needs is loaded and warm in the snapshot,
 * and nothing of it stays: its connections are closed, its credentials are made up, and the function's own clients have
 * asked nobody for anything yet.
 */
final class Rehearsal implements Resource {
    /** Lambda sets it; everywhere else there is no checkpoint to rehearse for. */
    private static final String INITIALIZATION = "AWS_LAMBDA_INITIALIZATION_TYPE";

    /** The context holds its resources weakly, and a handler keeps no more of its functions than it needs. */
    private static final List<Rehearsal> REGISTERED = new CopyOnWriteArrayList<>();

    private final Map<String, String> environment;
    private final Journal journal;

    Rehearsal(Map<String, String> environment, Journal journal) {
        this.environment = Map.copyOf(environment);
        this.journal = journal;
    }

    /** To be played before the snapshot, where there is one. */
    static void register(Map<String, String> environment, Journal journal) {
        if ("snap-start".equals(environment.get(INITIALIZATION))) {
            Rehearsal rehearsal = new Rehearsal(environment, journal);
            REGISTERED.add(rehearsal);
            Core.getGlobalContext().register(rehearsal);
        }
    }

    @Override
    public void beforeCheckpoint(Context<? extends Resource> context) {
        try {
            journal.write(Entry.of("rehearsed").with("status", play().getStatusCode()));
        } catch (IOException | RuntimeException e) {
            // A function that is not warm is slow once; one that has no snapshot answers nobody.
            journal.write(Entry.of("rehearsal-failed").with("reason", e));
        }
    }

    /** Nothing to do: what a restored function needs, connections and credentials, it gets when it first asks. */
    @Override
    public void afterRestore(Context<? extends Resource> context) {}

    /** @return what the caller of the play is told: TwiML */
    APIGatewayV2HTTPResponse play() throws IOException {
        try (RehearsalAws aws = new RehearsalAws();
                Functions functions = Functions.from(aws.environment(environment), entry -> {})) {
            aws.set(functions);
            return new FallbackHandler(functions).handleRequest(aws.webhook(), null);
        }
    }
}
