package dev.spillway.operator.doctor;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.spillway.adapters.WholeAnswer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.http.ContentStreamProvider;
import software.amazon.awssdk.http.SdkHttpMethod;
import software.amazon.awssdk.http.SdkHttpRequest;
import software.amazon.awssdk.http.auth.aws.signer.AwsV4HttpSigner;

/** One quota as Service Quotas tells it: one signed request, for which no client of its own is needed. */
final class ServiceQuota {
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final JsonMapper JSON = new JsonMapper();

    /** What the HTTP client writes itself. */
    private static final Set<String> OWN = Set.of("host", "content-length");

    private final URI endpoint;
    private final String region;

    /** @param endpoint of an emulator, if there is one */
    ServiceQuota(Optional<URI> endpoint, String region) {
        this.endpoint = endpoint.orElseGet(() -> URI.create("https://servicequotas." + region + ".amazonaws.com"));
        this.region = region;
    }

    /** Empty if it may not be asked, or does not answer. */
    Optional<Double> of(String service, String quota) {
        String body = JSON.createObjectNode()
                .put("ServiceCode", service)
                .put("QuotaCode", quota)
                .toString();
        try (HttpClient http = HttpClient.newBuilder().connectTimeout(PATIENCE).build()) {
            HttpResponse<String> answer = WholeAnswer.to(signed(body), http, BodyHandlers.ofString());
            JsonNode value = JSON.readTree(answer.body()).at("/Quota/Value");
            return answer.statusCode() == 200 && value.isNumber() ? Optional.of(value.asDouble()) : Optional.empty();
        } catch (IOException | SdkException e) {
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    private HttpRequest signed(String body) {
        try (DefaultCredentialsProvider credentials =
                DefaultCredentialsProvider.builder().build()) {
            SdkHttpRequest request = SdkHttpRequest.builder()
                    .method(SdkHttpMethod.POST)
                    .uri(endpoint)
                    .encodedPath("/")
                    .putHeader("content-type", "application/x-amz-json-1.1")
                    .putHeader("x-amz-target", "ServiceQuotasV20190624.GetServiceQuota")
                    .build();
            SdkHttpRequest signed = AwsV4HttpSigner.create()
                    .sign(sign -> sign.identity(credentials.resolveCredentials())
                            .request(request)
                            .payload(ContentStreamProvider.fromUtf8String(body))
                            .putProperty(AwsV4HttpSigner.SERVICE_SIGNING_NAME, "servicequotas")
                            .putProperty(AwsV4HttpSigner.REGION_NAME, region))
                    .request();
            HttpRequest.Builder builder =
                    HttpRequest.newBuilder(signed.getUri()).timeout(PATIENCE).POST(BodyPublishers.ofString(body));
            signed.headers().forEach((name, values) -> {
                if (!OWN.contains(name.toLowerCase(java.util.Locale.ROOT))) {
                    values.forEach(value -> builder.header(name, value));
                }
            });
            return builder.build();
        }
    }
}
