package dev.spillway.load.schedule;

import dev.spillway.load.schedule.InvalidScheduleException.Fault;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Takes values out of a located document and notes what is wrong with them. A value that is wrong is answered as missing. */
final class Reading {
    /** More than one screen of faults helps nobody. */
    private static final int MOST_FAULTS = 25;

    private final List<Fault> faults = new ArrayList<>();
    private int more;

    void fault(Located where, String text) {
        fault(where.line(), text);
    }

    void fault(int line, String text) {
        if (faults.size() < MOST_FAULTS) {
            faults.add(new Fault(line, text));
        } else {
            more++;
        }
    }

    List<Fault> faults() {
        List<Fault> all = new ArrayList<>(faults);
        if (more > 0) {
            all.add(new Fault(faults.getLast().line(), "and " + more + " faults more after it"));
        }
        return all;
    }

    Located.@Nullable Members members(@Nullable Located value, String name, Set<String> known) {
        if (!(value instanceof Located.Members members)) {
            wrong(value, name, "an object");
            return null;
        }
        for (Map.Entry<String, Located> entry : members.values().entrySet()) {
            if (!known.contains(entry.getKey())) {
                fault(entry.getValue(), name + " has no key '" + entry.getKey() + "'; it knows " + sorted(known));
            }
        }
        return members;
    }

    private static List<String> sorted(Set<String> known) {
        return known.stream().sorted().toList();
    }

    @Nullable
    String text(Located.Members in, String key, String name) {
        Located value = in.values().get(key);
        if (value == null || value instanceof Located.Nothing) {
            return null;
        }
        if (value instanceof Located.Text(int line, String text)) {
            return text;
        }
        wrong(value, name + "." + key, "a text");
        return null;
    }

    @Nullable
    Double number(Located.Members in, String key, String name, double least) {
        Located value = in.values().get(key);
        if (value == null || value instanceof Located.Nothing) {
            return null;
        }
        if (!(value instanceof Located.Numeral number)) {
            wrong(value, name + "." + key, "a number");
            return null;
        }
        if (!Double.isFinite(number.value())) {
            fault(value, name + "." + key + " is not finite");
            return null;
        }
        if (number.value() < least) {
            fault(value, name + "." + key + " is " + plain(number.value()) + "; want at least " + plain(least));
            return null;
        }
        return number.value();
    }

    @Nullable
    Double number(Located.Members in, String key, String name, double least, double most) {
        Double number = number(in, key, name, least);
        if (number != null && number > most) {
            fault(
                    in.values().getOrDefault(key, in),
                    name + "." + key + " is " + plain(number) + "; want at most " + plain(most));
            return null;
        }
        return number;
    }

    @Nullable
    Integer whole(Located.Members in, String key, String name, int least, int most) {
        Double number = number(in, key, name, least);
        if (number == null) {
            return null;
        }
        if (number != Math.rint(number) || number > most) {
            fault(
                    in.values().getOrDefault(key, in),
                    name + "." + key + " is " + plain(number) + "; want a whole number of at most " + most);
            return null;
        }
        return number.intValue();
    }

    void wrong(@Nullable Located value, String name, String wanted) {
        if (value == null) {
            fault(1, name + " is missing");
        } else {
            fault(value, name + " is not " + wanted);
        }
    }

    static String plain(double value) {
        return value == Math.rint(value) && Math.abs(value) < 1e15
                ? Long.toString((long) value)
                : Double.toString(value);
    }
}
