package dev.spillway.load.adapter;

import java.util.regex.Pattern;

/** The numbers that this tool uses: a range that belongs to nobody. Every other number is refused. */
final class TestNumbers {
    private static final String PREFIX = "+1500555";
    /** The first thousand are left to tenants. */
    private static final int FIRST = 1_000;

    private static final int COUNT = 9_000;

    private TestNumbers() {}

    /** What looks like a number in international form, also as a URL writes its plus sign. */
    private static final Pattern ANY = Pattern.compile("(?:\\+|%2[bB])([1-9][0-9]{6,14})(?![0-9])");

    /** Whether a text holds a number that may be somebody's. */
    static boolean holdsAnother(String text) {
        return ANY.matcher(text).results().anyMatch(found -> !isOne("+" + found.group(1)));
    }

    static boolean isOne(String number) {
        return number.matches("\\+1500555[0-9]{4}");
    }

    /** The number of the person behind an arrival; after 9,000 of them, the first one calls again. */
    static String of(int person) {
        return PREFIX + (FIRST + Math.floorMod(person, COUNT));
    }
}
