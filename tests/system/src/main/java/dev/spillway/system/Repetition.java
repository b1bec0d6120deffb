package dev.spillway.system;

import dev.spillway.localcloud.twilio.CallHistory;
import dev.spillway.localcloud.twilio.Utterance;
import java.util.List;

/**
 * Whether an agent said something again that its caller had heard. The embedded agent has three answers and gives them in
 * turn, over and over, wherever the call is: the same one twice running is a repetition, and so is a greeting in the middle.
 */
final class Repetition {
    private Repetition() {}

    /** How often an answer followed itself though it had been heard to its end. */
    static int of(CallHistory history) {
        List<Utterance> answers = history.utterances().stream()
                .filter(utterance -> utterance.kind().equals("answer"))
                .toList();
        int repetitions = 0;
        for (int i = 1; i < answers.size(); i++) {
            Utterance before = answers.get(i - 1);
            if (before.whole() && before.words().equals(answers.get(i).words())) {
                repetitions++;
            }
        }
        return repetitions;
    }
}
