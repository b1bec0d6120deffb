package dev.spillway.system;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.http.ContentStreamProvider;
import software.amazon.awssdk.http.SdkHttpFullRequest;
import software.amazon.awssdk.http.SdkHttpMethod;
import software.amazon.awssdk.http.auth.aws.signer.AwsV4HttpSigner;

/** Asks Spillway's HTTP API with signed requests: that of a local stack, or one in an account. */
final class SignedApi implements AutoCloseable {
    private static final Pattern REGION = Pattern.compile("\\.execute-api\\.([a-z0-9-]+)\\.amazonaws\\.com");

    private final URI url;
    private final String region;
    private final AwsCredentialsProvider credentials;
    private final HttpClient client =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(3)).build();

    private SignedApi(URI url, String region, AwsCredentialsProvider credentials) {
        this.url = url;
        this.region = region;
        this.credentials = credentials;
    }

    /** Of a local stack, with those keys. */
    static SignedApi local(URI url, LocalInfo.ApiKey key) {
        return new SignedApi(
                url,
                "us-east-1",
                StaticCredentialsProvider.create(AwsBasicCredentials.create(key.accessKeyId(), key.secretAccessKey())));
    }

    /** Of the local stack that wrote this file, as its operator. */
    static SignedApi of(Path info) throws IOException {
        JsonNode stack = Cli.JSON.readTree(info.toFile());
        JsonNode operator = stack.path("operator");
        if (stack.path("apiUrl").asText().isEmpty() || operator.isMissingNode()) {
            throw new IOException(info + " is not what ./spillway local --info FILE writes");
        }
        return local(
                URI.create(stack.path("apiUrl").asText()),
                new LocalInfo.ApiKey(
                        operator.path("accessKeyId").asText(),
                        operator.path("secretAccessKey").asText()));
    }

    /** In an account, with the credentials that the AWS command line would use. */
    static SignedApi of(URI url) {
        Matcher regional = REGION.matcher(String.valueOf(url.getHost()));
        String region = regional.find() ? regional.group(1) : System.getenv().getOrDefault("AWS_REGION", "us-east-1");
        return new SignedApi(url, region, DefaultCredentialsProvider.builder().build());
    }

    HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return send("GET", path, Map.of(), null);
    }

    /** @param path with its query, which is signed too */
    HttpResponse<String> send(String method, String path, Map<String, String> headers, @Nullable String body)
            throws IOException, InterruptedException {
        URI uri = URI.create(url.toString().replaceAll("/$", "") + path);
        SdkHttpFullRequest.Builder plain = SdkHttpFullRequest.builder()
                .method(SdkHttpMethod.fromValue(method))
                .uri(uri);
        headers.forEach(plain::putHeader);
        HttpRequest.Builder request = HttpRequest.newBuilder(uri)
                .timeout(Duration.ofSeconds(20))
                .method(
                        method,
                        body == null ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(body));
        AwsV4HttpSigner.create()
                .sign(signing -> signing.identity(credentials.resolveCredentials())
                        .request(plain.build())
                        .payload(body == null ? null : ContentStreamProvider.fromUtf8String(body))
                        .putProperty(AwsV4HttpSigner.SERVICE_SIGNING_NAME, "execute-api")
                        .putProperty(AwsV4HttpSigner.REGION_NAME, region))
                .request()
                .forEachHeader((name, values) -> {
                    if (!name.equalsIgnoreCase("host")) {
                        values.forEach(value -> request.header(name, value));
                    }
                });
        return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    @Override
    public void close() {
        client.close();
    }
}
