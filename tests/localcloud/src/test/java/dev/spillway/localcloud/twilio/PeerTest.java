package dev.spillway.localcloud.twilio;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;

class PeerTest {
    private static final TwilioAccount ACCOUNT = new TwilioAccount(
            "AC000000000000000000000000000000c3",
            "token",
            List.of(new TwilioNumber("+15005550003", URI.create("http://127.0.0.1:1/voice"), null, null)));

    private static HttpResponse<String> send(String method, URI url, String body) throws Exception {
        try (HttpClient client = HttpClient.newHttpClient()) {
            String pair = ACCOUNT.sid() + ":" + ACCOUNT.authToken();
            return client.send(
                    HttpRequest.newBuilder(url)
                            .timeout(Duration.ofSeconds(10))
                            .header(
                                    "authorization",
                                    "Basic "
                                            + Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8)))
                            .method(method, HttpRequest.BodyPublishers.ofString(body))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
        }
    }

    private static URI call(TwilioStandIn twilio, Call call) {
        return URI.create(twilio.url() + "/2010-04-01/Accounts/" + ACCOUNT.sid() + "/Calls/" + call.sid() + ".json");
    }

    @Test
    void a_peer_is_asked_about_calls_that_are_not_of_this_side_until_it_is_gone() throws Exception {
        TwilioSwitches switches = TwilioSwitches.likely(1);
        try (var here = new TwilioStandIn(0, switches).register(ACCOUNT)) {
            URI peer = URI.create(here.url() + "/_local/peer");
            Call own = here.call("+15005550003", "+15005551000", CallScript.ofTurns(1));
            Call theirs;
            try (var there = new TwilioStandIn(0, switches).register(ACCOUNT)) {
                theirs = there.call("+15005550003", "+15005551001", CallScript.ofTurns(1));
                assertThat(send("GET", call(here, theirs), "").statusCode()).isEqualTo(404);

                assertThat(send("PUT", peer, there.url().toString()).statusCode())
                        .isEqualTo(204);

                assertThat(send("GET", call(here, theirs), "").body()).contains(theirs.sid());
                assertThat(send("GET", call(here, own), "").body()).contains(own.sid());
            }

            assertThat(send("GET", call(here, theirs), "").statusCode()).isEqualTo(404);
            assertThat(send("GET", call(here, own), "").statusCode()).isEqualTo(200);
            assertThat(send("PUT", peer, "http://calls.example").statusCode()).isEqualTo(400);
            assertThat(send("DELETE", peer, "").statusCode()).isEqualTo(204);
        }
    }
}
