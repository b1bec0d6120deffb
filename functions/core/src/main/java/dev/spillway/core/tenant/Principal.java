package dev.spillway.core.tenant;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Who asks something of the HTTP API: an IAM user or an IAM role. Two spellings of the same role are equal: a session of it
 * ({@code arn:aws:sts::ACCOUNT:assumed-role/NAME/SESSION}) is the role, and a role's path is left out, since sessions do
 * not tell it; a role's name alone is unique in its account. The root of an account and federated users are nobody here.
 */
public record Principal(String arn) {
    private static final String ACCOUNT = "arn:(aws[a-z-]*):(?:iam|sts)::([0-9]{12}):";
    private static final String NAME = "[\\w+=,.@-]{1,64}";
    private static final Pattern USER = Pattern.compile("arn:aws[a-z-]*:iam::[0-9]{12}:user/(?:[!-~]{1,510}/)?" + NAME);
    private static final Pattern ROLE = Pattern.compile(ACCOUNT + "role/(?:[!-~]{1,510}/)?(" + NAME + ")");
    private static final Pattern SESSION = Pattern.compile(ACCOUNT + "assumed-role/(" + NAME + ")/" + NAME);

    /** @throws IllegalArgumentException if it is no user's and no role's ARN */
    public Principal {
        arn = normal(arn).orElseThrow(() -> new IllegalArgumentException("want the ARN of an IAM user or an IAM role"));
    }

    public static Optional<Principal> parse(String arn) {
        return normal(arn).map(Principal::new);
    }

    private static Optional<String> normal(String arn) {
        if (USER.matcher(arn).matches()) {
            return Optional.of(arn);
        }
        Matcher role = ROLE.matcher(arn);
        if (role.matches()) {
            return Optional.of(role(role));
        }
        Matcher session = SESSION.matcher(arn);
        return session.matches() ? Optional.of(role(session)) : Optional.empty();
    }

    private static String role(Matcher matcher) {
        return "arn:" + matcher.group(1) + ":iam::" + matcher.group(2) + ":role/" + matcher.group(3);
    }

    @Override
    public String toString() {
        return arn;
    }
}
