package dev.spillway.system.bench;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.websocketx.WebSocketClientHandshakerFactory;
import io.netty.handler.codec.http.websocketx.WebSocketClientProtocolHandler;
import io.netty.handler.codec.http.websocketx.WebSocketVersion;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;

/**
 * Callers that each say a frame every 20 ms, evenly spread, and time the frame that comes back. One event loop carries them
 * all; what it could not send on time shows as lateness, and what it reads late counts into the round trip.
 */
final class EchoLoad implements AutoCloseable {
    private static final long FRAME_NANOS = 20_000_000;
    /** Fewer than the table answers within its patience, so that opening the streams is not a load test of its own. */
    private static final int OPENING_AT_ONCE = 8;

    private static final Duration LONGEST_OPENING = Duration.ofSeconds(60);
    /** A load that is further behind than this catches up no more: it would only be a burst that no telephone makes. */
    private static final long LATEST_NANOS = 100_000_000;

    /** How long the last frames of a window may be under way. */
    private static final long STRAGGLERS_MILLIS = 500;

    private final MultiThreadIoEventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final EventLoop loop = loops.next();
    private final List<EchoCaller> callers = new ArrayList<>();
    private final EchoTally tally = new EchoTally();
    private final int streams;
    private long originNanos;
    private long next;

    /**
     * One stream to open.
     *
     * @param start the messages that come before the first frame
     */
    record Stream(URI uri, List<String> start) {}

    EchoLoad(List<Stream> streams) {
        this.streams = streams.size();
        for (Stream stream : streams) {
            callers.add(new EchoCaller(stream, tally));
        }
    }

    /**
     * Opens every stream and awaits its first echo. Each begins to talk as soon as it is open.
     *
     * @param opened told how many there are
     */
    void open(IntConsumer opened) throws IOException, InterruptedException {
        originNanos = System.nanoTime();
        loop.scheduleAtFixedRate(this::tick, 1, 1, TimeUnit.MILLISECONDS);
        Semaphore opening = new Semaphore(OPENING_AT_ONCE);
        for (int i = 0; i < streams; i++) {
            EchoCaller caller = callers.get(i);
            acquire(opening, 1);
            caller.whenHeard(opening::release);
            connect(caller);
            opened.accept(i + 1);
        }
        acquire(opening, OPENING_AT_ONCE);
    }

    private static void acquire(Semaphore opening, int permits) throws IOException, InterruptedException {
        if (!opening.tryAcquire(permits, LONGEST_OPENING.toSeconds(), TimeUnit.SECONDS)) {
            throw new IOException(
                    "a stream was not echoed within " + LONGEST_OPENING.toSeconds() + " s of its opening");
        }
    }

    private void connect(EchoCaller caller) throws IOException, InterruptedException {
        URI uri = caller.stream().uri();
        var connecting = new Bootstrap()
                .group(loop)
                .channel(NioSocketChannel.class)
                .handler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        channel.pipeline()
                                .addLast(new HttpClientCodec())
                                .addLast(new HttpObjectAggregator(65_536))
                                .addLast(new WebSocketClientProtocolHandler(
                                        WebSocketClientHandshakerFactory.newHandshaker(
                                                uri, WebSocketVersion.V13, null, false, new DefaultHttpHeaders())))
                                .addLast(caller);
                    }
                })
                .connect(uri.getHost(), uri.getPort())
                .await();
        if (!connecting.isSuccess()) {
            throw new IOException("no connection to " + uri.getHost() + ":" + uri.getPort(), connecting.cause());
        }
    }

    /** Sends whatever is due: caller after caller, each 20 ms after its last frame. Frames that are hopelessly late are not sent. */
    private void tick() {
        long now = System.nanoTime();
        long rounds = (now - due() - LATEST_NANOS) / FRAME_NANOS;
        if (rounds > 0) {
            next += rounds * streams;
        }
        for (long due = due(); due <= now; due = due()) {
            EchoCaller caller = callers.get((int) (next % streams));
            caller.speak(System.nanoTime(), due);
            next++;
        }
    }

    private long due() {
        return originNanos + next / streams * FRAME_NANOS + next % streams * FRAME_NANOS / streams;
    }

    /** Begins to count. */
    void beginWindow() throws InterruptedException {
        loop.submit(() -> tally.begin(System.nanoTime())).await();
    }

    /** Ends what {@link #beginWindow} began; what was sent within it may come back a little later. */
    void endWindow() throws InterruptedException {
        loop.submit(() -> tally.end(System.nanoTime())).await();
    }

    /** What was counted, once the stragglers are in. */
    EchoTally tally() throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(STRAGGLERS_MILLIS);
        loop.submit(tally::close).await(); // so that this thread sees it all
        return tally;
    }

    @Override
    public void close() {
        for (EchoCaller caller : callers) {
            Channel channel = caller.channel();
            if (channel != null) {
                channel.close();
            }
        }
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(2_000);
    }
}
