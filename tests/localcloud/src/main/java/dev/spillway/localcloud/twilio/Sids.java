package dev.spillway.localcloud.twilio;

import java.util.UUID;

/** Identifiers as Twilio makes them: two letters and 32 hexadecimal digits. */
final class Sids {
    private Sids() {}

    static String next(String prefix) {
        return prefix + UUID.randomUUID().toString().replace("-", "");
    }
}
