package dev.spillway.localcloud.twilio;

import dev.spillway.localcloud.twilio.WebhookAnswer.Failure;
import dev.spillway.localcloud.twilio.WebhookAnswer.Success;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.TooLongFrameException;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;

/** Sends webhooks as Twilio does: a connection of its own for each, with its time-outs, retries and error codes. */
final class WebhookClient {
    private static final int LARGEST_TWIML_BYTES = 64 * 1024;

    private final EventLoopGroup loops;
    private final AllowedHosts hosts;
    private final SslContext tls;

    WebhookClient(EventLoopGroup loops, AllowedHosts hosts) {
        this.loops = loops;
        this.hosts = hosts;
        try {
            this.tls = SslContextBuilder.forClient().build();
        } catch (SSLException e) {
            throw new IllegalStateException("the JDK speaks TLS", e);
        }
    }

    /** Never fails: what goes wrong is a {@link Failure}. */
    CompletableFuture<WebhookAnswer> send(WebhookRequest request) {
        ConnectionOverrides overrides = ConnectionOverrides.of(request.url());
        var answer = new CompletableFuture<WebhookAnswer>();
        long deadline = System.nanoTime() + overrides.totalTimeout().toNanos();
        String token = UUID.randomUUID().toString();
        attempt(request, overrides, token, deadline, overrides.retries(), answer);
        return answer;
    }

    private void attempt(
            WebhookRequest request,
            ConnectionOverrides overrides,
            String token,
            long deadline,
            int retriesLeft,
            CompletableFuture<WebhookAnswer> answer) {
        var one = new CompletableFuture<WebhookAnswer>();
        Duration left = Duration.ofNanos(Math.max(1, deadline - System.nanoTime()));
        loops.next()
                .schedule(
                        () -> one.complete(new Failure(0, 11205, "rt", "no answer in the total time allowed")),
                        left.toNanos(),
                        TimeUnit.NANOSECONDS);
        connect(request, overrides, token, shorter(overrides.connectTimeout(), left), one);
        one.thenAccept(result -> {
            boolean again = result instanceof Failure failure
                    && retriesLeft > 0
                    && overrides.retries(failure)
                    && System.nanoTime() < deadline;
            if (again) {
                attempt(request, overrides, token, deadline, retriesLeft - 1, answer);
            } else {
                answer.complete(result);
            }
        });
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    private void connect(
            WebhookRequest request,
            ConnectionOverrides overrides,
            String token,
            Duration connectTimeout,
            CompletableFuture<WebhookAnswer> answer) {
        URI target = request.target();
        boolean secure = "https".equals(target.getScheme());
        String host = target.getHost();
        if (host == null || !(secure || "http".equals(target.getScheme()))) {
            answer.complete(new Failure(0, 11100, "", "not an HTTP URL"));
            return;
        }
        if (!hosts.allows(host)) {
            answer.complete(new Failure(0, 11100, "", "the host " + host + " is not to be reached from here"));
            return;
        }
        int port = target.getPort() >= 0 ? target.getPort() : secure ? 443 : 80;
        new Bootstrap()
                .group(loops)
                .channel(NioSocketChannel.class)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) Math.max(1, connectTimeout.toMillis()))
                .handler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        if (secure) {
                            channel.pipeline().addLast(tls.newHandler(channel.alloc(), host, port));
                        }
                        channel.pipeline()
                                .addLast(new HttpClientCodec())
                                .addLast(new HttpObjectAggregator(LARGEST_TWIML_BYTES))
                                .addLast(new Exchange(answer));
                    }
                })
                .connect(host, port)
                .addListener((io.netty.channel.ChannelFuture connected) -> {
                    if (connected.isSuccess()) {
                        write(connected.channel(), request, target, token, overrides.readTimeout(), answer);
                    } else {
                        answer.complete(new Failure(0, 11205, "ct", "no connection: " + connected.cause()));
                    }
                });
    }

    private static void write(
            Channel channel,
            WebhookRequest request,
            URI target,
            String token,
            Duration readTimeout,
            CompletableFuture<WebhookAnswer> answer) {
        byte[] body = request.isGet() ? new byte[0] : request.form().getBytes(StandardCharsets.UTF_8);
        String path = target.getRawPath().isEmpty() ? "/" : target.getRawPath();
        var message = new DefaultFullHttpRequest(
                HttpVersion.HTTP_1_1,
                HttpMethod.valueOf(request.method()),
                target.getRawQuery() == null ? path : path + "?" + target.getRawQuery(),
                Unpooled.wrappedBuffer(body));
        var headers = message.headers();
        headers.set(HttpHeaderNames.HOST, target.getAuthority());
        headers.set(HttpHeaderNames.USER_AGENT, "TwilioProxy/1.1");
        headers.set(HttpHeaderNames.ACCEPT, "*/*");
        headers.set(HttpHeaderNames.CONNECTION, "close");
        headers.set("X-Twilio-Signature", request.signature());
        headers.set("I-Twilio-Idempotency-Token", token);
        headers.set(HttpHeaderNames.CONTENT_LENGTH, body.length);
        if (!request.isGet()) {
            headers.set(HttpHeaderNames.CONTENT_TYPE, "application/x-www-form-urlencoded; charset=UTF-8");
        }
        channel.writeAndFlush(message);
        channel.eventLoop()
                .schedule(
                        () -> answer.complete(new Failure(0, 11205, "rt", "no answer within " + readTimeout)),
                        readTimeout.toNanos(),
                        TimeUnit.NANOSECONDS);
        answer.thenRun(channel::close);
    }

    private static final class Exchange extends SimpleChannelInboundHandler<FullHttpResponse> {
        private final CompletableFuture<WebhookAnswer> answer;

        Exchange(CompletableFuture<WebhookAnswer> answer) {
            this.answer = answer;
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, FullHttpResponse response) {
            int status = response.status().code();
            byte[] body = new byte[response.content().readableBytes()];
            response.content().readBytes(body);
            if (status >= 200 && status < 300) {
                String type = response.headers().get(HttpHeaderNames.CONTENT_TYPE, "");
                answer.complete(new Success(status, type, body));
            } else if (status >= 400) {
                answer.complete(new Failure(status, 11217, status < 500 ? "4xx" : "5xx", "HTTP status " + status));
            } else {
                answer.complete(new Failure(status, 11200, "", "HTTP status " + status));
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            answer.complete(new Failure(0, 11200, "", "closed without an answer"));
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            if (cause instanceof TooLongFrameException) {
                answer.complete(new Failure(0, 11750, "", "the answer is larger than 64 kB"));
            } else if (cause.getCause() instanceof SSLException) {
                answer.complete(new Failure(0, 11220, "", "TLS: " + cause.getCause()));
            } else {
                answer.complete(new Failure(0, 11200, "", cause.toString()));
            }
            context.close();
        }
    }
}
