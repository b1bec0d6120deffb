package dev.spillway.core.tenant;

import dev.spillway.core.DependencyException;
import java.util.List;

/** The auth tokens by which a tenant's webhooks are verified and its REST calls are made. */
public interface TwilioTokens {
    /**
     * The accepted tokens: the current one first, then the next one while tokens rotate.
     *
     * @throws DependencyException when the secret store cannot be read and no copy is at hand
     */
    List<String> of(Tenant tenant);

    /** Forgets the copy at hand, so that a token rotated a moment ago is found; bounded to once in a few seconds. */
    void refresh(Tenant tenant);
}
