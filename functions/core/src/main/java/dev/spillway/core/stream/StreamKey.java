package dev.spillway.core.stream;

import dev.spillway.core.attempt.CallerHash;
import dev.spillway.core.pool.PoolId;
import java.nio.charset.StandardCharsets;
import java.security.InvalidKeyException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Signs stream addresses. One key per pool, derived from the deployment's master secret (HMAC-SHA256), so that a
 * tenant's container that is taken over can make addresses for no pool but its own.
 */
public final class StreamKey {
    private static final String ALGORITHM = "HmacSHA256";

    private final byte[] key;

    private StreamKey(byte[] key) {
        this.key = key;
    }

    /** @param master 32 bytes or more */
    public static StreamKey derive(byte[] master, PoolId pool) {
        if (master.length < 32) {
            throw new IllegalArgumentException("the stream secret needs 32 bytes or more, not " + master.length);
        }
        return new StreamKey(mac(master, "spillway stream key for pool " + pool));
    }

    /** The key itself, for a container that is given its pool's key only. */
    public static StreamKey ofPool(byte[] poolKey) {
        if (poolKey.length != 32) {
            throw new IllegalArgumentException("a pool's stream key has 32 bytes, not " + poolKey.length);
        }
        return new StreamKey(poolKey.clone());
    }

    public byte[] bytes() {
        return key.clone();
    }

    /** 22 letters: 128 bits of the MAC, in URL-safe base64. */
    String sign(String text) {
        byte[] half = new byte[16];
        System.arraycopy(mac(key, text), 0, half, 0, half.length);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(half);
    }

    /**
     * Names a caller of this pool's tenant without telling the number. Numbers are few enough to be tried one by one, so a
     * hash without a key would tell them.
     */
    public CallerHash callerHash(String number) {
        return new CallerHash(sign("caller " + number));
    }

    boolean signed(String text, String signature) {
        return MessageDigest.isEqual(
                sign(text).getBytes(StandardCharsets.UTF_8), signature.getBytes(StandardCharsets.UTF_8));
    }

    private static byte[] mac(byte[] key, String text) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(key, ALGORITHM));
            return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException | InvalidKeyException e) {
            throw new IllegalStateException("every JDK has " + ALGORITHM, e);
        }
    }
}
