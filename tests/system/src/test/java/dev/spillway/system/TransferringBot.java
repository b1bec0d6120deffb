package dev.spillway.system;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.spillway.media.agent.MuLaw;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketServerProtocolHandler;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

/** A voice bot that speaks Twilio's protocol: says a word, and gives the call to a number when a key is pressed. */
final class TransferringBot implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final MultiThreadIoEventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final List<String> openings = new CopyOnWriteArrayList<>();
    private final Map<String, String> numbers;
    private final Channel listener;

    /** @param numbers where to, by the key */
    TransferringBot(Map<String, String> numbers) {
        this.numbers = Map.copyOf(numbers);
        listener = new ServerBootstrap()
                .group(loops)
                .channel(NioServerSocketChannel.class)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        channel.pipeline()
                                .addLast(
                                        new HttpServerCodec(),
                                        new HttpObjectAggregator(8_192),
                                        new WebSocketServerProtocolHandler("/", null, false, 65_536),
                                        new Talk());
                    }
                })
                .bind("127.0.0.1", 0)
                .syncUninterruptibly()
                .channel();
    }

    URI url() {
        return URI.create("ws://127.0.0.1:" + ((InetSocketAddress) listener.localAddress()).getPort() + "/");
    }

    /** How each of its streams began: {@code greeting} or {@code resume}. */
    List<String> openings() {
        return openings;
    }

    @Override
    public void close() {
        loops.shutdownGracefully();
    }

    private final class Talk extends SimpleChannelInboundHandler<TextWebSocketFrame> {
        private String streamSid = "";

        @Override
        protected void channelRead0(ChannelHandlerContext context, TextWebSocketFrame frame) throws IOException {
            JsonNode message = JSON.readTree(frame.text());
            switch (message.path("event").asText()) {
                case "start" -> {
                    streamSid = message.path("streamSid").asText();
                    openings.add(message.at("/start/customParameters/opening").asText());
                    say(context, 25);
                }
                case "dtmf" -> {
                    String number = numbers.get(message.at("/dtmf/digit").asText());
                    if (number != null) {
                        send(context, "{\"event\":\"transfer\",\"transfer\":{\"number\":\"" + number + "\"}}");
                    }
                }
                default -> {}
            }
        }

        private void say(ChannelHandlerContext context, int frames) {
            byte[] frame = new byte[MuLaw.FRAME_BYTES];
            Arrays.fill(frame, MuLaw.encode(6_000));
            String payload = Base64.getEncoder().encodeToString(frame);
            for (int i = 0; i < frames; i++) {
                send(
                        context,
                        "{\"event\":\"media\",\"streamSid\":\"" + streamSid + "\",\"media\":{\"payload\":\"" + payload
                                + "\"}}");
            }
        }

        private static void send(ChannelHandlerContext context, String text) {
            context.writeAndFlush(new TextWebSocketFrame(text));
        }
    }
}
