package dev.spillway.load.replay;

import dev.spillway.load.ledger.Bundle;
import java.io.IOException;
import java.nio.file.Files;
import org.jspecify.annotations.Nullable;

/** An authorisation together with the bytes that it was read from, which every run keeps; or none. */
public final class Permission {
    public static final Permission NONE = new Permission(null, null);

    private final byte @Nullable [] bytes;
    private final @Nullable Authorisation given;

    private Permission(byte @Nullable [] bytes, @Nullable Authorisation given) {
        this.bytes = bytes;
        this.given = given;
    }

    /** @throws IOException if it is no authorisation, with every reason */
    public static Permission of(byte[] json) throws IOException {
        return new Permission(json.clone(), Authorisation.read(json));
    }

    public @Nullable Authorisation given() {
        return given;
    }

    public @Nullable String sha256() {
        return bytes == null ? null : Bundle.sha256(bytes);
    }

    /** Keeps it beside the run. */
    public void write(Bundle bundle) throws IOException {
        if (bytes != null) {
            Files.write(bundle.authorisation(), bytes);
        }
    }
}
