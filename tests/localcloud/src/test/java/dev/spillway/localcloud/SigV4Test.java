package dev.spillway.localcloud;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.http.ContentStreamProvider;
import software.amazon.awssdk.http.SdkHttpFullRequest;
import software.amazon.awssdk.http.SdkHttpMethod;
import software.amazon.awssdk.http.SdkHttpRequest;
import software.amazon.awssdk.http.auth.aws.signer.AwsV4HttpSigner;
import software.amazon.awssdk.http.auth.spi.signer.HttpSigner;
import software.amazon.awssdk.identity.spi.AwsCredentialsIdentity;

/** Routes with IAM take what the AWS SDK and curl sign, and nothing else. */
class SigV4Test {
    private static final IamUser ANN =
            new IamUser("LOCALANN", "made-up+secret/of=ann", "arn:aws:sts::000000000000:assumed-role/ann/local");

    private final AtomicReference<JsonNode> received = new AtomicReference<>();
    private final ApiGateway gateway = new ApiGateway(0).user(ANN);
    private final HttpClient client = HttpClient.newHttpClient();

    SigV4Test() {
        Function function = payload -> {
            received.set(new ObjectMapper().readTree(payload));
            return "{\"statusCode\":200,\"body\":\"in\"}".getBytes(StandardCharsets.UTF_8);
        };
        gateway.routeWithIam("GET", "/pools/{tenant}", function)
                .routeWithIam("GET", "/attempts", function)
                .routeWithIam("POST", "/calls", function)
                .route("POST", "/open", function);
    }

    @AfterEach
    void close() {
        client.close();
        gateway.close();
    }

    private int status(HttpRequest request) throws Exception {
        return client.send(request, HttpResponse.BodyHandlers.ofString()).statusCode();
    }

    private HttpRequest signed(
            IamUser user, String service, Instant at, String method, String path, @Nullable String body, String sent) {
        SdkHttpFullRequest plain = SdkHttpFullRequest.builder()
                .method(SdkHttpMethod.fromValue(method))
                .uri(URI.create(gateway.url() + path))
                .build();
        SdkHttpRequest signed = AwsV4HttpSigner.create()
                .sign(request -> request.identity(
                                AwsCredentialsIdentity.create(user.accessKeyId(), user.secretAccessKey()))
                        .request(plain)
                        .payload(body == null ? null : ContentStreamProvider.fromUtf8String(body))
                        .putProperty(AwsV4HttpSigner.SERVICE_SIGNING_NAME, service)
                        .putProperty(AwsV4HttpSigner.REGION_NAME, "us-east-1")
                        .putProperty(HttpSigner.SIGNING_CLOCK, Clock.fixed(at, ZoneOffset.UTC)))
                .request();
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(gateway.url() + path))
                .method(method, HttpRequest.BodyPublishers.ofString(sent));
        signed.forEachHeader((name, values) -> {
            if (!name.equalsIgnoreCase("host")) {
                values.forEach(value -> request.header(name, value));
            }
        });
        return request.build();
    }

    private HttpRequest signed(String method, String path, @Nullable String body) {
        return signed(ANN, "execute-api", Instant.now(), method, path, body, body == null ? "" : body);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/pools/acme",
                "/pools/a%20b",
                "/pools/a.b~c*d",
                "/attempts?tenant=acme&limit=20",
                "/attempts?tenant=acme&since=2026-11-29T09%3A00%3A00Z&cursor=a%2Fb%3D&z",
            })
    void what_the_sdk_signs_comes_in_with_its_identity(String path) throws Exception {
        assertThat(status(signed("GET", path, null))).isEqualTo(200);

        JsonNode iam = received.get().at("/requestContext/authorizer/iam");
        assertThat(iam.path("userArn").asText()).isEqualTo(ANN.arn());
        assertThat(iam.path("accessKey").asText()).isEqualTo("LOCALANN");
        assertThat(iam.path("accountId").asText()).isEqualTo("000000000000");
        assertThat(received.get().toString()).doesNotContain(ANN.secretAccessKey());
    }

    @Test
    void a_signed_body_comes_in() throws Exception {
        assertThat(status(signed("POST", "/calls", "{\"tenant\":\"ä\"}"))).isEqualTo(200);
    }

    @Test
    void what_is_unsigned_or_wrongly_signed_is_forbidden_and_reaches_no_function() throws Exception {
        Instant now = Instant.now();
        IamUser stranger = new IamUser("LOCALBOB", "x", ANN.arn());
        IamUser wrong = new IamUser("LOCALANN", "another secret", ANN.arn());
        for (HttpRequest request : List.of(
                HttpRequest.newBuilder(URI.create(gateway.url() + "/pools/acme"))
                        .build(),
                HttpRequest.newBuilder(URI.create(gateway.url() + "/pools/acme"))
                        .header("authorization", "AWS4-HMAC-SHA256 Credential=LOCALANN")
                        .build(),
                signed(stranger, "execute-api", now, "GET", "/pools/acme", null, ""),
                signed(wrong, "execute-api", now, "GET", "/pools/acme", null, ""),
                signed(ANN, "dynamodb", now, "GET", "/pools/acme", null, ""),
                signed(ANN, "execute-api", now.minus(Duration.ofMinutes(6)), "GET", "/pools/acme", null, ""),
                signed(ANN, "execute-api", now.plus(Duration.ofMinutes(6)), "GET", "/pools/acme", null, ""),
                signed(ANN, "execute-api", now, "POST", "/calls", "{\"a\":1}", "{\"a\":2}"))) {
            assertThat(status(request)).as(request.toString()).isEqualTo(403);
        }
        assertThat(received.get()).isNull();
    }

    @Test
    void a_signature_of_one_path_opens_no_other() throws Exception {
        HttpRequest one = signed("GET", "/pools/acme", null);
        HttpRequest.Builder other = HttpRequest.newBuilder(URI.create(gateway.url() + "/pools/globex"));
        one.headers().map().forEach((name, values) -> values.forEach(value -> other.header(name, value)));

        assertThat(status(one)).isEqualTo(200);
        assertThat(status(other.build())).isEqualTo(403);
    }

    @Test
    void a_route_without_iam_has_no_identity_whatever_is_sent() throws Exception {
        assertThat(status(HttpRequest.newBuilder(URI.create(gateway.url() + "/open"))
                        .header("authorization", "AWS4-HMAC-SHA256 Credential=LOCALANN")
                        .POST(HttpRequest.BodyPublishers.noBody())
                        .build()))
                .isEqualTo(200);
        assertThat(received.get().at("/requestContext/authorizer").isMissingNode())
                .isTrue();
    }

    @Test
    void what_curl_signs_comes_in() throws Exception {
        assumeTrue(canCurlSign(), "curl 7.75 or later with --aws-sigv4 is not here");

        assertThat(curl("/pools/acme")).isEqualTo("200");
        assertThat(curl("/attempts?limit=20&tenant=acme")).isEqualTo("200");
        assertThat(curl(
                        "/calls",
                        "-H",
                        "content-type: application/json",
                        "-H",
                        "idempotency-key: k1",
                        "-d",
                        "{\"a\":1}"))
                .isEqualTo("200");
    }

    private String curl(String path, String... more) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("curl", "-s", "-o", "/dev/null", "-w", "%{http_code}"));
        command.addAll(List.of("--aws-sigv4", "aws:amz:us-east-1:execute-api"));
        command.addAll(List.of("--user", ANN.accessKeyId() + ":" + ANN.secretAccessKey()));
        command.addAll(List.of(more));
        command.add(gateway.url() + path);
        Process process = new ProcessBuilder(command).start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
        return out;
    }

    private static boolean canCurlSign() throws InterruptedException {
        try {
            Process process = new ProcessBuilder("curl", "--help", "all").start();
            String help = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return process.waitFor() == 0 && help.contains("--aws-sigv4");
        } catch (IOException e) {
            return false;
        }
    }
}
