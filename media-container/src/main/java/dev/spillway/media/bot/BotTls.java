package dev.spillway.media.bot;

import dev.spillway.adapters.Once;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import java.util.function.Supplier;
import javax.net.ssl.SSLException;

/** TLS to bots, which are known by the usual authorities; made when the first bot behind TLS is met. */
public final class BotTls {
    private static final Supplier<SslContext> CLIENT = new Once<>(BotTls::client);

    private BotTls() {}

    public static SslContext get() {
        return CLIENT.get();
    }

    private static SslContext client() {
        try {
            return SslContextBuilder.forClient().build();
        } catch (SSLException e) {
            throw new IllegalStateException("this JVM has no TLS", e);
        }
    }
}
