package dev.spillway.localcloud;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.timeout.IdleStateEvent;
import io.netty.util.ReferenceCountUtil;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * One client connection of the load balancer. Each request gets a connection of its own to its target, on the same event
 * loop, so that nothing here needs a lock. Either side is only read when the other has taken what was read before.
 */
final class FrontConnection extends ChannelInboundHandlerAdapter {

    /** The request under way, or the WebSocket it became. */
    private final class Exchange implements TargetGroup.Flow {
        private final TargetGroup.Target target;
        private boolean keepAlive;
        private @Nullable Channel back;
        private boolean requestSent;
        private boolean answered;
        private boolean answerEnded;
        private boolean tunnel;
        private boolean interim;

        Exchange(TargetGroup.Target target, boolean keepAlive) {
            this.target = target;
            this.keepAlive = keepAlive;
        }

        @Override
        public void cut() {
            front.close();
        }

        void end() {
            target.end(this);
            if (back != null) {
                back.close();
            }
        }
    }

    private static final String FORWARDED_FOR = "x-forwarded-for";
    private static final String FORWARDED_PROTO = "x-forwarded-proto";
    private static final String FORWARDED_PORT = "x-forwarded-port";

    private final TargetGroup group;

    @SuppressWarnings("NullAway.Init") // set when the handler is added, before anything else is called
    private Channel front;

    private @Nullable Exchange exchange;

    /** What came after the request under way: kept, because reading on is how a client's leaving is noticed. */
    private @Nullable Object early;

    FrontConnection(TargetGroup group) {
        this.group = group;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        front = context.channel();
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        context.read();
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        Exchange current = exchange;
        if (message instanceof HttpRequest request && current == null) {
            begin(request);
        } else if (current != null && current.requestSent && !current.tunnel) {
            early = message;
        } else if (current != null && current.back != null) {
            passOn(current, current.back, message);
        } else {
            ReferenceCountUtil.release(message);
        }
    }

    private void begin(HttpRequest request) {
        if (request.decoderResult().isFailure()) {
            refuse(HttpResponseStatus.BAD_REQUEST);
            return;
        }
        TargetGroup.Target target = group.next().orElse(null);
        if (target == null) {
            refuse(HttpResponseStatus.SERVICE_UNAVAILABLE);
            return;
        }
        Exchange next = new Exchange(target, HttpUtil.isKeepAlive(request) || isUpgrade(request));
        exchange = next;
        target.begin(next);
        addForwarded(request);
        new Bootstrap()
                .group(front.eventLoop())
                .channel(NioSocketChannel.class)
                .option(ChannelOption.AUTO_READ, false)
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int)
                        group.connectTimeout().toMillis())
                .handler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        channel.pipeline()
                                .addLast(new HttpClientCodec())
                                .addLast(new OneAtATime())
                                .addLast(new BackConnection(next));
                    }
                })
                .connect(target.address())
                .addListener((ChannelFuture connected) -> onConnected(next, request, connected));
    }

    private static boolean isUpgrade(HttpRequest request) {
        return request.headers().contains(HttpHeaderNames.UPGRADE);
    }

    private void addForwarded(HttpRequest request) {
        String client = ((InetSocketAddress) front.remoteAddress()).getAddress().getHostAddress();
        String before = request.headers().get(FORWARDED_FOR);
        request.headers().set(FORWARDED_FOR, before == null ? client : before + ", " + client);
        request.headers().set(FORWARDED_PROTO, "http");
        request.headers().set(FORWARDED_PORT, ((InetSocketAddress) front.localAddress()).getPort());
    }

    private void onConnected(Exchange current, HttpRequest request, ChannelFuture connected) {
        if (!connected.isSuccess()) {
            boolean late = connected.cause() instanceof ConnectTimeoutException;
            refuse(late ? HttpResponseStatus.GATEWAY_TIMEOUT : HttpResponseStatus.BAD_GATEWAY);
            return;
        }
        Channel back = connected.channel();
        current.back = back;
        if (exchange != current || !front.isActive()) {
            back.close();
            return;
        }
        passOn(current, back, request);
        back.read();
    }

    private void passOn(Exchange current, Channel back, Object message) {
        boolean last = message instanceof LastHttpContent;
        back.writeAndFlush(message).addListener(written -> {
            if (last) {
                current.requestSent = true;
            }
            if (!written.isSuccess()) {
                back.close();
            } else {
                front.read();
            }
        });
    }

    private void refuse(HttpResponseStatus status) {
        byte[] text = (status + "\n").getBytes(StandardCharsets.US_ASCII);
        var answer = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status, Unpooled.wrappedBuffer(text));
        answer.headers()
                .set(HttpHeaderNames.CONTENT_TYPE, "text/plain")
                .set(HttpHeaderNames.CONTENT_LENGTH, text.length)
                .set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
        endExchange();
        front.writeAndFlush(answer).addListener(ChannelFutureListener.CLOSE);
    }

    private void endExchange() {
        Exchange current = exchange;
        exchange = null;
        if (current != null) {
            current.end();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        endExchange();
        ReferenceCountUtil.release(early);
        early = null;
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (!(event instanceof IdleStateEvent)) {
            context.fireUserEventTriggered(event);
            return;
        }
        Exchange current = exchange;
        if (current != null && !current.answered) {
            refuse(HttpResponseStatus.GATEWAY_TIMEOUT);
        } else {
            front.close();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        context.close();
    }

    /** The connection to the target. */
    private final class BackConnection extends ChannelInboundHandlerAdapter {
        private final Exchange own;

        BackConnection(Exchange own) {
            this.own = own;
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            if (exchange != own) {
                ReferenceCountUtil.release(message);
                return;
            }
            if (message instanceof HttpObject object && object.decoderResult().isFailure()) {
                ReferenceCountUtil.release(message);
                context.close();
                return;
            }
            if (message instanceof HttpResponse answer) {
                own.answered = true;
                own.tunnel = answer.status().code() == HttpResponseStatus.SWITCHING_PROTOCOLS.code();
                own.interim = answer.status().codeClass() == HttpStatusClass.INFORMATIONAL;
                if (!own.interim) {
                    own.keepAlive &= framed(answer);
                    HttpUtil.setKeepAlive(answer, own.keepAlive);
                }
            }
            boolean last = message instanceof LastHttpContent && !own.interim;
            boolean becomesTunnel = message instanceof LastHttpContent && own.tunnel;
            if (last) {
                own.answerEnded = true;
            }
            front.writeAndFlush(message).addListener(written -> {
                if (!written.isSuccess()) {
                    front.close();
                } else if (last) {
                    finish();
                } else {
                    context.read();
                }
            });
            if (becomesTunnel) {
                openTunnel(context);
            }
        }

        /** False when only the end of the connection ends the answer. */
        private static boolean framed(HttpResponse answer) {
            int code = answer.status().code();
            return HttpUtil.isContentLengthSet(answer)
                    || HttpUtil.isTransferEncodingChunked(answer)
                    || code == HttpResponseStatus.NO_CONTENT.code()
                    || code == HttpResponseStatus.NOT_MODIFIED.code();
        }

        private void openTunnel(ChannelHandlerContext context) {
            context.pipeline().remove(HttpClientCodec.class);
            front.pipeline().remove(HttpServerCodec.class);
            front.read();
        }

        private void finish() {
            boolean reusable = own.keepAlive && own.requestSent;
            endExchange();
            Object next = early;
            early = null;
            if (reusable && next instanceof HttpRequest request) {
                begin(request);
            } else if (!reusable) {
                ReferenceCountUtil.release(next);
                front.close();
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            if (exchange != own || own.answerEnded) {
                return;
            }
            if (own.answered) {
                // Behind whatever is still being written to the client.
                front.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
            } else {
                refuse(HttpResponseStatus.BAD_GATEWAY);
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            context.close();
        }
    }
}
