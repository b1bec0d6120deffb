package dev.spillway.system.conform;

import java.util.Locale;

/**
 * What came of one rule.
 *
 * @param rule its name in the contract
 * @param says the rule
 * @param found what breaks it; empty if it is kept
 */
public record Verdict(String rule, String says, String found) {
    public boolean isKept() {
        return found.isEmpty();
    }

    @Override
    public String toString() {
        return isKept()
                ? String.format(Locale.ROOT, "%-10s  kept    %s", rule, says)
                : String.format(Locale.ROOT, "%-10s  BROKEN  %s%n%22sfound: %s", rule, says, "", found);
    }
}
