package dev.spillway.media.wire;

import dev.spillway.adapters.twilio.FormBody;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.journal.Journal.Entry;
import dev.spillway.core.stream.StreamAddress;
import dev.spillway.core.stream.StreamAddress.Parsed;
import dev.spillway.media.call.DirectCalls;
import dev.spillway.media.call.Door;
import dev.spillway.media.call.Door.Entrance;
import dev.spillway.media.call.Setbacks;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.websocketx.WebSocketDecoderConfig;
import io.netty.handler.codec.http.websocketx.WebSocketFrameAggregator;
import io.netty.handler.codec.http.websocketx.WebSocketServerHandshaker;
import io.netty.handler.codec.http.websocketx.WebSocketServerHandshakerFactory;
import io.netty.handler.codec.http.websocketx.WebSocketVersion;
import io.netty.handler.timeout.IdleStateEvent;
import io.netty.handler.timeout.IdleStateHandler;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The routes. One request of a connection at a time: nothing more is read from it until the answer is written. Whatever may
 * block runs on a virtual thread.
 */
final class HttpFront extends SimpleChannelInboundHandler<FullHttpRequest> {
    static final String CODEC = "http-codec";
    static final String AGGREGATOR = "http-aggregator";
    static final String IDLE = "http-idle";

    private final Door door;
    private final Streams streams;
    private final TargetCheck targetCheck;
    private final Liveness liveness;
    private final Setbacks setbacks;
    private final @Nullable DirectCalls directCalls;

    /** @param directCalls null on the gateway, which has no webhook of its own */
    HttpFront(
            Door door,
            Streams streams,
            TargetCheck targetCheck,
            Liveness liveness,
            Setbacks setbacks,
            @Nullable DirectCalls directCalls) {
        this.door = door;
        this.streams = streams;
        this.targetCheck = targetCheck;
        this.liveness = liveness;
        this.setbacks = setbacks;
        this.directCalls = directCalls;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
        Channel channel = context.channel();
        channel.pipeline().get(RequestDeadline.class).met();
        boolean keepAlive = HttpUtil.isKeepAlive(request);
        if (!request.decoderResult().isSuccess()) {
            Replies.text(channel, false, 400, "bad request");
            return;
        }
        int question = request.uri().indexOf('?');
        String path = question < 0 ? request.uri() : request.uri().substring(0, question);
        boolean get = request.method().equals(HttpMethod.GET);
        channel.config().setAutoRead(false);
        if (path.startsWith("/relay/") && request.method().equals(HttpMethod.DELETE)) {
            leave(channel, keepAlive, path);
        } else if (path.startsWith("/stream/") || path.startsWith("/relay/")) {
            stream(channel, path, request);
        } else if (path.equals("/voice") && directCalls != null) {
            voice(channel, keepAlive, request, directCalls);
        } else if (path.equals("/health") && get) {
            health(channel, keepAlive);
        } else if (path.equals("/target") && get) {
            target(channel, keepAlive, request.headers().get(HttpHeaderNames.USER_AGENT, ""));
        } else if (path.equals("/live") && get) {
            Liveness.Answer own = liveness.own();
            Replies.send(channel, keepAlive, own.status(), "application/json", own.body());
        } else if (path.startsWith("/live/") && get) {
            boolean relayed = request.headers().contains(Liveness.RELAYED);
            liveness.of(
                    path.substring("/live/".length()),
                    relayed,
                    answer -> channel.eventLoop()
                            .execute(() -> Replies.send(
                                    channel, keepAlive, answer.status(), "application/json", answer.body())));
        } else {
            Replies.text(channel, keepAlive, 404, "not found");
        }
    }

    /** Capacity, and only that. */
    private void health(Channel channel, boolean keepAlive) {
        Optional<String> refusal = streams.admission().refusal();
        Replies.text(channel, keepAlive, refusal.isPresent() ? 503 : 200, refusal.orElse("ok"));
    }

    private void target(Channel channel, boolean keepAlive, String userAgent) {
        Optional<String> refusal = targetCheck.refusal(userAgent);
        Replies.text(channel, keepAlive, refusal.isPresent() ? 503 : 200, refusal.orElse("ok"));
    }

    private void voice(Channel channel, boolean keepAlive, FullHttpRequest request, DirectCalls calls) {
        if (!request.method().equals(HttpMethod.POST)) {
            refuseInput(channel, keepAlive, 405, "method not allowed");
            return;
        }
        if (!FormBody.isNamedBy(request.headers().get(HttpHeaderNames.CONTENT_TYPE, ""))) {
            refuseInput(channel, keepAlive, 415, "unsupported content type");
            return;
        }
        Optional<Map<String, String>> parsed = FormBody.parse(request.content().toString(StandardCharsets.UTF_8));
        if (parsed.isEmpty()) {
            refuseInput(channel, keepAlive, 400, "bad request");
            return;
        }
        Map<String, String> form = parsed.get();
        String signature = request.headers().get("X-Twilio-Signature", "");
        streams.patience().later(() -> {
            DirectCalls.Reply reply;
            try {
                reply = calls.answer(form, signature);
            } catch (RuntimeException e) {
                streams.journal()
                        .write(Entry.of("voice-failed")
                                .with("callSid", sid(form))
                                .with("reason", e.getClass().getName()));
                reply = new DirectCalls.Reply(503, "text/plain; charset=utf-8", "no free slot\n");
            }
            DirectCalls.Reply answer = reply;
            channel.eventLoop()
                    .execute(() ->
                            Replies.send(channel, keepAlive, answer.status(), answer.contentType(), answer.body()));
        });
    }

    private static String sid(Map<String, String> form) {
        return CallSid.parse(form.getOrDefault("CallSid", ""))
                .map(CallSid::value)
                .orElse("none");
    }

    private void refuseInput(Channel channel, boolean keepAlive, int status, String text) {
        streams.journal().write(Entry.of("refused").with("status", status).with("reason", text));
        Replies.text(channel, keepAlive, status, text);
    }

    private void stream(Channel channel, String path, FullHttpRequest request) {
        switch (door.check(path)) {
            case Parsed.Invalid invalid -> refuse(channel, "none", Door.refusal(invalid));
            case Parsed.Valid valid -> {
                if (!isHandshake(request)) {
                    refuse(channel, valid.address().call(), new Entrance.Refuse(426, "a WebSocket is wanted here"));
                    return;
                }
                FullHttpRequest kept = request.retain();
                streams.patience().later(() -> {
                    Entrance entrance;
                    try {
                        entrance = door.enter(valid.address());
                    } catch (RuntimeException e) {
                        entrance = new Entrance.Refuse(
                                503, "internal error: " + e.getClass().getName());
                    }
                    Entrance decided = entrance;
                    channel.eventLoop().execute(() -> {
                        try {
                            entered(channel, kept, valid.address(), decided);
                        } finally {
                            kept.release();
                        }
                    });
                });
            }
        }
    }

    /**
     * The container that relays a stream to here stops. Only under the relay's own address: the one that Twilio was given passes
     * through the load balancer and its log, and whoever reads it there later must not end anybody's turn.
     */
    private void leave(Channel channel, boolean keepAlive, String path) {
        switch (door.checkOpened(path)) {
            case Parsed.Invalid invalid -> refuse(channel, "none", Door.refusal(invalid));
            case Parsed.Valid valid -> {
                boolean leaving = streams.leave(
                        valid.address().generation(), "the container that its stream comes through stops");
                Replies.text(
                        channel,
                        keepAlive,
                        leaving ? 202 : 404,
                        leaving ? "leaves at the end of its turn" : "no such call is here");
            }
        }
    }

    /** Asked before a seat is: the handshake of a browser or of Twilio, and nothing that could fail half-way. */
    private static boolean isHandshake(FullHttpRequest request) {
        HttpHeaders headers = request.headers();
        return request.method().equals(HttpMethod.GET)
                && headers.containsValue(HttpHeaderNames.UPGRADE, HttpHeaderValues.WEBSOCKET, true)
                && headers.containsValue(HttpHeaderNames.CONNECTION, HttpHeaderValues.UPGRADE, true)
                && headers.get(HttpHeaderNames.SEC_WEBSOCKET_VERSION, "")
                        .equals(WebSocketVersion.V13.toHttpHeaderValue())
                && !headers.get(HttpHeaderNames.SEC_WEBSOCKET_KEY, "").isBlank();
    }

    private void entered(Channel channel, FullHttpRequest request, StreamAddress address, Entrance entrance) {
        try {
            follow(channel, request, address, entrance);
        } catch (RuntimeException | Error e) {
            // Whatever it is: a seat or a relay that is never ended would keep the container from ever draining.
            switch (entrance) {
                case Entrance.Refuse refuse -> {}
                case Entrance.Relay relay -> streams.relayEnded();
                case Entrance.Serve serve -> streams.closed(serve.seat(), false);
            }
            refuse(
                    channel,
                    address.call(),
                    new Entrance.Refuse(503, "internal error: " + e.getClass().getName()));
        }
    }

    private void follow(Channel channel, FullHttpRequest request, StreamAddress address, Entrance entrance) {
        switch (entrance) {
            case Entrance.Refuse refuse -> refuse(channel, address.call(), refuse);
            case Entrance.Relay relay -> {
                if (channel.isActive()) {
                    Relay.start(
                            channel,
                            request,
                            relay,
                            address.call(),
                            streams,
                            reason -> setBack(channel, address, reason));
                } else {
                    streams.relayEnded();
                }
            }
            case Entrance.Serve serve -> serve(channel, request, address, serve);
        }
    }

    /** The call's record hears of it before Twilio, which then goes on to the next hop. */
    private void setBack(Channel channel, StreamAddress address, String reason) {
        streams.patience().later(() -> {
            setbacks.tell(address, reason);
            channel.eventLoop().execute(() -> refuse(channel, address.call(), new Entrance.Refuse(503, reason)));
        });
    }

    private void serve(Channel channel, FullHttpRequest request, StreamAddress address, Entrance.Serve serve) {
        int largest = streams.limits().largestMessageBytes();
        WebSocketDecoderConfig config = WebSocketDecoderConfig.newBuilder()
                .allowExtensions(false)
                .maxFramePayloadLength(largest)
                .build();
        WebSocketServerHandshaker handshaker = new WebSocketServerHandshakerFactory(
                        "ws://" + request.headers().get(HttpHeaderNames.HOST, "spillway") + request.uri(), null, config)
                .newHandshaker(request);
        if (handshaker == null || !channel.isActive()) {
            streams.closed(serve.seat(), false);
            refuse(channel, address.call(), new Entrance.Refuse(426, "an unknown WebSocket version"));
            return;
        }
        handshaker.handshake(channel, request).addListener(done -> {
            if (!done.isSuccess()) {
                streams.closed(serve.seat(), false);
                channel.close();
                return;
            }
            long silence = streams.limits().silence().toMillis();
            channel.pipeline()
                    .addLast(new IdleStateHandler(silence, 0, 0, TimeUnit.MILLISECONDS))
                    .addLast(new WebSocketFrameAggregator(largest))
                    .addLast(new StreamHandler(
                            channel, streams, serve.seat(), serve.origin(), serve.tenant(), address.generation()));
            channel.pipeline().remove(IDLE);
            channel.pipeline().remove(RequestDeadline.class);
            channel.pipeline().remove(HttpFront.class);
            channel.config().setAutoRead(true);
        });
    }

    /** @param call what the address names, or that it names none that can be believed */
    private void refuse(Channel channel, Object call, Entrance.Refuse refuse) {
        streams.journal()
                .write(Entry.of("stream-refused")
                        .with("callSid", call)
                        .with("status", refuse.status())
                        .with("reason", refuse.reason()));
        Replies.text(channel, false, refuse.status(), refuse.reason());
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof IdleStateEvent) {
            context.close();
        } else {
            context.fireUserEventTriggered(event);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        context.close();
    }
}
