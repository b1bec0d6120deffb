package dev.spillway.lambda;

import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPEvent;
import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPEvent.RequestContext;
import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPEvent.RequestContext.Authorizer;
import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPEvent.RequestContext.Http;
import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPEvent.RequestContext.IAM;
import dev.spillway.core.tenant.Principal;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Requests of the HTTP API, as API Gateway delivers them once it knows who signed. */
final class Caller {
    static final Principal OPERATOR = new Principal("arn:aws:iam::123456789012:role/operators");
    static final Principal OF_ACME = new Principal("arn:aws:iam::123456789012:role/acme");
    static final Principal OF_BLOOM = new Principal("arn:aws:iam::123456789012:user/bloom");

    private Caller() {}

    /** @param arn as the IAM authorizer names the signer; null without one */
    static APIGatewayV2HTTPEvent request(
            @Nullable String arn,
            String method,
            String path,
            Map<String, String> query,
            Map<String, String> headers,
            @Nullable String body) {
        RequestContext.RequestContextBuilder context = RequestContext.builder()
                .withHttp(Http.builder().withMethod(method).withPath(path).build());
        if (arn != null) {
            context.withAuthorizer(Authorizer.builder()
                    .withIam(IAM.builder().withUserArn(arn).build())
                    .build());
        }
        return APIGatewayV2HTTPEvent.builder()
                .withRawPath(path)
                .withQueryStringParameters(query.isEmpty() ? null : query)
                .withHeaders(headers)
                .withBody(body)
                .withRequestContext(context.build())
                .build();
    }

    static APIGatewayV2HTTPEvent get(@Nullable String arn, String path, Map<String, String> query) {
        return request(arn, "GET", path, query, Map.of(), null);
    }
}
