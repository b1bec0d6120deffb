package dev.spillway.lambda;

import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPEvent;
import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPResponse;
import dev.spillway.adapters.journal.PhoneNumbers;
import dev.spillway.core.DependencyException;
import dev.spillway.core.journal.Journal;
import dev.spillway.core.journal.Journal.Entry;
import dev.spillway.core.journal.Journal.Metric;
import dev.spillway.core.tenant.Access;
import dev.spillway.core.tenant.Principal;
import dev.spillway.core.tenant.Tenant;
import dev.spillway.core.tenant.TenantId;
import dev.spillway.core.tenant.Tenants;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Who may come in by the routes that are not Twilio's. API Gateway has checked the signature and says whose it is; without
 * its word nobody comes in. Whoever may not touch a tenant learns nothing about it, not even whether it exists.
 */
final class Gate {
    private final Access access;
    private final Tenants tenants;
    private final Journal journal;

    Gate(Access access, Tenants tenants, Journal journal) {
        this.access = access;
        this.tenants = tenants;
        this.journal = journal;
    }

    /** Answers for a request whose signer is known; 401 without one, and 503 when the answer meets a broken dependency. */
    APIGatewayV2HTTPResponse answer(APIGatewayV2HTTPEvent event, Function<Principal, APIGatewayV2HTTPResponse> answer) {
        String arn = signer(event);
        if (arn == null || arn.isBlank()) {
            turnedAway(401, "nobody", "the request has no identity");
            return ProblemDetails.UNSIGNED.response();
        }
        Optional<Principal> who = Principal.parse(arn);
        if (who.isEmpty()) {
            turnedAway(403, "another kind", "the identity is no IAM user and no IAM role");
            return ProblemDetails.FORBIDDEN.response();
        }
        try {
            return answer.apply(who.get());
        } catch (DependencyException e) {
            journal.write(Entry.of("api-unavailable")
                    .with("route", String.valueOf(event.getRouteKey()))
                    .with("reason", PhoneNumbers.masked(e.toString())));
            return ProblemDetails.UNAVAILABLE.response();
        }
    }

    /** The answer to somebody who may touch the tenant; a 403 to everybody else. */
    APIGatewayV2HTTPResponse within(
            Principal who, TenantId id, Function<Optional<Tenant>, APIGatewayV2HTTPResponse> answer) {
        Optional<Tenant> tenant = tenants.find(id);
        if (access.mayTouch(who, tenant)) {
            return answer.apply(tenant);
        }
        turnedAway(403, who.arn(), "the tenant is not this caller's");
        return ProblemDetails.FORBIDDEN.response();
    }

    /** The answer to an operator, about what is no tenant's; a 403 to everybody else, before anything is read. */
    APIGatewayV2HTTPResponse ofOperators(Principal who, Supplier<APIGatewayV2HTTPResponse> answer) {
        if (access.isOperator(who)) {
            return answer.get();
        }
        turnedAway(403, who.arn(), "only operators see what tenants share");
        return ProblemDetails.FORBIDDEN.response();
    }

    boolean isOperator(Principal who) {
        return access.isOperator(who);
    }

    private void turnedAway(int status, String who, String reason) {
        journal.write(Entry.of("api-refused")
                .with("status", status)
                .with("who", who)
                .with("reason", reason)
                .count(Metric.TURNED_AWAY));
    }

    /** What the IAM authorizer says: {@code requestContext.authorizer.iam.userArn}. Headers say nothing about it. */
    private static @Nullable String signer(APIGatewayV2HTTPEvent event) {
        var context = event.getRequestContext();
        if (context == null
                || context.getAuthorizer() == null
                || context.getAuthorizer().getIam() == null) {
            return null;
        }
        return context.getAuthorizer().getIam().getUserArn();
    }
}
