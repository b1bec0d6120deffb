package dev.spillway.adapters.journal;

import java.util.regex.Pattern;

/** Keeps phone numbers out of logs, should a dependency's message carry one. */
public final class PhoneNumbers {
    /** E.164, as written or as it stands in a URL; the country's first digits stay, so that a line can be placed. */
    private static final Pattern NUMBER = Pattern.compile("(\\+|%2[Bb])(\\d{1,2})\\d{5,13}");

    private PhoneNumbers() {}

    public static String masked(String text) {
        return NUMBER.matcher(text).replaceAll("$1$2*****");
    }
}
