package dev.spillway.adapters;

import java.security.SecureRandom;

/** Digits and lower-case letters that cannot be guessed; 20 of them are 103 bits. */
final class RandomText {
    private static final String LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789";

    private final SecureRandom random = new SecureRandom();

    String next(int length) {
        StringBuilder text = new StringBuilder(length);
        for (int i = 0; i < length; i++) {
            text.append(LETTERS.charAt(random.nextInt(LETTERS.length())));
        }
        return text.toString();
    }
}
