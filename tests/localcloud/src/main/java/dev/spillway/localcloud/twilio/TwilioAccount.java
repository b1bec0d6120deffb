package dev.spillway.localcloud.twilio;

import java.util.List;
import java.util.Optional;

/**
 * An account: its webhooks are signed with its token, and its REST resources need SID and token.
 *
 * @param sid "AC" and 32 hexadecimal digits
 */
public record TwilioAccount(String sid, String authToken, List<TwilioNumber> numbers) {
    public TwilioAccount {
        if (!sid.matches("AC[0-9a-f]{32}")) {
            throw new IllegalArgumentException("an account SID is AC and 32 hexadecimal digits, not " + sid);
        }
        numbers = List.copyOf(numbers);
    }

    Optional<TwilioNumber> number(String number) {
        return numbers.stream().filter(one -> one.number().equals(number)).findFirst();
    }

    @Override
    public String toString() {
        return "TwilioAccount[" + sid + ", " + numbers.size() + " numbers]"; // the token reaches no log
    }
}
