package dev.spillway.media.wire;

import dev.spillway.core.journal.Journal;
import dev.spillway.core.journal.Journal.Entry;
import dev.spillway.media.admission.Admission;
import dev.spillway.media.bot.BotLimits;
import dev.spillway.media.call.Patience;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Whether the bot of this container can be reached. It is asked before the container becomes READY. Afterwards the calls
 * themselves tell: when several in a row could not open their stream to it, or lost it before anything was heard, new calls are
 * refused until it takes one again, since each that came would be moved, and three moves end with the apology. Calls that are
 * here go on.
 */
public final class BotWatch {
    /** One may be chance, and each costs a caller a move. A guess. */
    static final int MOST_REFUSALS = 3;

    /** A bot that takes a stream only to close it at once takes none. A guess. */
    private static final long SETTLED_MILLIS = 200;

    /** A bot that restarts takes some seconds. A guess. */
    public static final Duration PAUSE = Duration.ofSeconds(2);

    /** A bot that takes every stream and answers no call costs one caller his patience for each time it is believed. A guess. */
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);

    private final MediaServer server;
    private final URI bot;
    private final BotLimits limits;
    private final Admission admission;
    private final Patience patience;
    private final Journal journal;
    private final Duration pause;
    private volatile Runnable whenChanged = () -> {};
    private int refusedInARow;
    /** How often it was left out since it last took a call. */
    private int leftOut;
    /** Whether somebody asks the bot already. */
    private boolean asking;

    private boolean missing;

    /**
     * @param server whose event loops it uses
     * @param pause between two questions to a bot that is gone
     */
    public BotWatch(
            MediaServer server,
            URI bot,
            BotLimits limits,
            Admission admission,
            Patience patience,
            Journal journal,
            Duration pause) {
        this.server = server;
        this.bot = bot;
        this.limits = limits;
        this.admission = admission;
        this.patience = patience;
        this.journal = journal;
        this.pause = pause;
    }

    /** Asks to be told when new calls begin or cease to be refused. */
    public void whenChanged(Runnable told) {
        whenChanged = told;
    }

    /**
     * Opens a stream to the bot, and closes it without a message. Blocks, for little more than a connection may take.
     *
     * @throws IOException why it does not take a stream
     */
    public void probe() throws IOException, InterruptedException {
        CompletableFuture<String> answer = new CompletableFuture<>();
        EventLoop loop = server.loop();
        BotLink link = new BotLink(loop, bot, true, limits, patience, new Asked(loop, answer));
        loop.execute(link::connect);
        String problem;
        try {
            problem = patience.result(answer, limits.connect().multipliedBy(2));
        } catch (ExecutionException | TimeoutException e) {
            problem = "the bot did not answer";
        }
        loop.execute(link::close);
        if (!problem.isEmpty()) {
            throw new IOException(problem);
        }
    }

    /** Where it should be, without what else the URL says. */
    public String place() {
        return bot.getPort() < 0 ? bot.getHost() : bot.getHost() + ":" + bot.getPort();
    }

    /** The bot has taken a call: it was heard, or ended it. */
    void reached() {
        synchronized (this) {
            refusedInARow = 0;
            leftOut = 0;
            if (!missing) {
                return;
            }
            missing = false;
            admission.agentIsBack();
        }
        tellBack();
    }

    /** The bot has taken a stream that asked; whether it takes calls, too, the next one tells: no three need to try. */
    private void answered() {
        synchronized (this) {
            if (!missing) {
                return;
            }
            refusedInARow = MOST_REFUSALS - 1;
            missing = false;
            admission.agentIsBack();
        }
        tellBack();
    }

    private void tellBack() {
        journal.write(Entry.of("bot-back").with("reason", "it takes streams again: new calls are let in"));
        whenChanged.run();
    }

    /** A call could not open its stream to the bot, or it ended, or was given up, before anything was heard. */
    void refused(String reason) {
        boolean idle;
        synchronized (this) {
            refusedInARow++;
            if (missing || refusedInARow < MOST_REFUSALS) {
                return;
            }
            missing = true;
            leftOut++;
            admission.agentIsMissing("the bot cannot be reached");
            idle = !asking;
            asking = true;
        }
        journal.write(Entry.alert(
                "bot-missing",
                MOST_REFUSALS + " calls in a row, or one after it was back, were not answered by it; "
                        + "no new calls until it takes a stream: " + reason,
                MOST_REFUSALS));
        whenChanged.run();
        if (idle) {
            patience.later(this::askUntilBack);
        }
    }

    /** Whether to ask on; the one who asks is told so under the lock, so that nobody else begins meanwhile. */
    private synchronized boolean goesOnAsking() {
        asking = missing;
        return asking;
    }

    /** Before the bot is asked for the first time. That it takes a stream was not enough before: it is believed ever later. */
    static Duration before(Duration pause, int leftOut) {
        Duration longer = pause.multipliedBy(1L << Math.clamp(leftOut - 1, 0, 10));
        return longer.compareTo(LONGEST_PAUSE) < 0 ? longer : LONGEST_PAUSE;
    }

    private synchronized Duration before() {
        return before(pause, leftOut);
    }

    private void askUntilBack() {
        Duration next = before();
        while (patience.pause(next) && goesOnAsking()) {
            next = pause;
            try {
                probe();
                answered();
            } catch (IOException e) {
                // it is asked again
            } catch (RejectedExecutionException e) {
                return; // the container has closed its loops
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    private record Asked(EventLoop loop, CompletableFuture<String> answer) implements BotLink.Listener {
        @Override
        public void opened() {
            loop.schedule(() -> answer.complete(""), SETTLED_MILLIS, TimeUnit.MILLISECONDS);
        }

        @Override
        public void broke(String reason) {
            answer.complete(reason);
        }

        @Override
        public void closed(int status) {
            answer.complete("the bot closed with " + status);
        }

        @Override
        public void said(TextWebSocketFrame frame) {}

        @Override
        public void saidAll() {}

        @Override
        public void writable() {}
    }
}
