package dev.spillway.adapters;

import dev.spillway.core.call.Generation;
import dev.spillway.core.call.Generations;
import java.security.SecureRandom;

/** Generations that cannot be guessed: 16 letters or digits, 95 bits. */
public final class RandomGenerations implements Generations {
    private static final String LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    private static final int LENGTH = 16;

    private final SecureRandom random = new SecureRandom();

    @Override
    public Generation next(int hop) {
        StringBuilder text = new StringBuilder(LENGTH);
        for (int i = 0; i < LENGTH; i++) {
            text.append(LETTERS.charAt(random.nextInt(LETTERS.length())));
        }
        return new Generation(hop, text.toString());
    }
}
