package dev.spillway.adapters;

import dev.spillway.core.call.JobId;
import dev.spillway.core.tenant.TenantId;
import java.security.SecureRandom;

/** Ids of new jobs that cannot be guessed: 20 digits or lower-case letters, 103 bits. */
public final class RandomJobIds {
    private static final String LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789";
    private static final int LENGTH = 20;

    private final SecureRandom random = new SecureRandom();

    public JobId next(TenantId tenant) {
        StringBuilder text = new StringBuilder(LENGTH);
        for (int i = 0; i < LENGTH; i++) {
            text.append(LETTERS.charAt(random.nextInt(LETTERS.length())));
        }
        return new JobId(tenant, text.toString());
    }
}
