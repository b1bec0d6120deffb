package dev.spillway.adapters.settings;

import java.util.List;

/** Everything that is wrong with the configuration, in one exception. Values are never repeated: some are secret. */
public final class SettingsException extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final transient List<String> problems;

    public SettingsException(List<String> problems) {
        super(problems.size() + (problems.size() == 1 ? " setting is" : " settings are") + " wrong or missing:\n  "
                + String.join("\n  ", problems));
        this.problems = List.copyOf(problems);
    }

    /** One line for each problem, naming the setting. */
    public List<String> problems() {
        return problems;
    }
}
