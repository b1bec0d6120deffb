package dev.spillway.lambda;

import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPResponse;
import dev.spillway.core.journal.Journal;
import dev.spillway.core.journal.Journal.Entry;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
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

    /** Nobody waits for a rehearsal, and everything in it happens for the first time. */
    private static final int PATIENCE = 10;

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
            int status = unheard(this::play).getStatusCode();
            journal.write(Entry.of("rehearsed").with("status", status));
        } catch (IOException | RuntimeException e) {
            // A function that is not warm is slow once; one that has no snapshot answers nobody.
            journal.write(Entry.of("rehearsal-failed").with("reason", e));
        }
    }

    /** Nothing to do: what a restored function needs, connections and credentials, it gets when it first asks. */
    @Override
    public void afterRestore(Context<? extends Resource> context) {}

    /** What may be played. */
    @FunctionalInterface
    interface Play {
        APIGatewayV2HTTPResponse play() throws IOException;
    }

    /** The journal plays along, as it is: its lines of log and metrics are about nobody, so they are printed to nowhere. */
    private static APIGatewayV2HTTPResponse unheard(Play play) throws IOException {
        PrintStream out = System.out;
        PrintStream err = System.err;
        PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
        System.setOut(nowhere);
        System.setErr(nowhere);
        try {
            return play.play();
        } finally {
            System.setOut(out);
            System.setErr(err);
        }
    }

    /** @return what the caller of the play is told: TwiML */
    APIGatewayV2HTTPResponse play() throws IOException {
        try (RehearsalAws aws = new RehearsalAws();
                Functions functions = Functions.from(aws.environment(environment), journal, PATIENCE)) {
            aws.set(functions);
            return new FallbackHandler(functions).handleRequest(aws.webhook(), null);
        }
    }
}
