package dev.spillway.system;

import dev.spillway.localcloud.IamUser;
import java.util.Locale;

/** Who may sign requests to the local HTTP API. The keys are made up and open nothing else. */
final class LocalUsers {
    static final String OPERATOR_ROLE = "arn:aws:iam::000000000000:role/operators";
    static final IamUser OPERATOR = inRole("operators");

    private LocalUsers() {}

    /** A caller of that tenant and no other. */
    static IamUser of(LocalTenant tenant) {
        return inRole(tenant.tenant().id().value());
    }

    private static IamUser inRole(String role) {
        return new IamUser(
                "LOCAL" + role.toUpperCase(Locale.ROOT),
                "made-up-key-of-" + role,
                "arn:aws:sts::000000000000:assumed-role/" + role + "/local");
    }

    static LocalInfo.ApiKey key(IamUser user) {
        return new LocalInfo.ApiKey(user.accessKeyId(), user.secretAccessKey());
    }
}
