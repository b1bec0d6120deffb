package dev.spillway.localcloud.twilio;

import java.util.function.Consumer;
import java.util.function.Predicate;

/** Which hosts webhooks and streams may reach, whoever names them: a number's URLs, TwiML, or a REST request. */
final class AllowedHosts {
    private volatile Predicate<String> allowed = host -> true;
    private volatile Consumer<String> refused = host -> {};

    void allow(Predicate<String> hosts, Consumer<String> whenRefused) {
        refused = whenRefused;
        allowed = hosts;
    }

    /** Whether it may be reached; if not, that is told. */
    boolean allows(String host) {
        boolean yes = allowed.test(host);
        if (!yes) {
            refused.accept(host);
        }
        return yes;
    }
}
