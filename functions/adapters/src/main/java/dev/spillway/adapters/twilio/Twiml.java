package dev.spillway.adapters.twilio;

import com.twilio.http.HttpMethod;
import com.twilio.twiml.TwiMLException;
import com.twilio.twiml.VoiceResponse;
import com.twilio.twiml.voice.Connect;
import com.twilio.twiml.voice.Dial;
import com.twilio.twiml.voice.Hangup;
import com.twilio.twiml.voice.Parameter;
import com.twilio.twiml.voice.Redirect;
import com.twilio.twiml.voice.Say;
import com.twilio.twiml.voice.Stream;
import dev.spillway.core.call.Answer;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.stream.StreamAddress;
import dev.spillway.core.tenant.TenantId;
import java.util.function.Function;

/** Writes answers as TwiML, with Twilio's own builders. */
public final class Twiml {
    /** The first text's words. */
    public static final String BUSY = "All of our assistants are currently busy, please try your call again later.";

    public static final String APOLOGY = "We are sorry, something went wrong. Please call again in a few minutes.";

    private final Callbacks callbacks;
    private final Function<PoolId, StreamTarget> targets;

    /** @param targets gives each pool's streams their place; asked only for an {@link Answer.Stream}'s own pool */
    public Twiml(Callbacks callbacks, Function<PoolId, StreamTarget> targets) {
        this.callbacks = callbacks;
        this.targets = targets;
    }

    /**
     * The TwiML document for a call's answer, as {@code text/xml} in UTF-8.
     *
     * @param hop which hop of the call this answer is: its continue URL carries it
     */
    public String render(TenantId tenant, CallSid call, int hop, Answer answer) {
        VoiceResponse response = switch (answer) {
            case Answer.Stream stream -> stream(tenant, call, hop, stream);
            case Answer.Busy busy -> spoken(BUSY);
            case Answer.Apology apology -> spoken(APOLOGY);
            case Answer.HangUp hangUp ->
                new VoiceResponse.Builder().hangup(new Hangup.Builder().build()).build();
            case Answer.Transfer transfer ->
                // Twilio tells the continue URL how it went. The caller's own number is shown, as in every forwarded
                // call.
                new VoiceResponse.Builder()
                        .dial(new Dial.Builder(transfer.number())
                                .action(callbacks.continueUrl(tenant, hop))
                                .method(HttpMethod.POST)
                                .build())
                        .build();
        };
        return xml(response);
    }

    private VoiceResponse stream(TenantId tenant, CallSid call, int hop, Answer.Stream answer) {
        StreamTarget target = targets.apply(answer.pool());
        String address = StreamAddress.of(tenant, call, answer).path(target.key());
        Stream stream = new Stream.Builder()
                .url(target.streamUrl() + address)
                .statusCallback(callbacks.streamStatus(tenant, hop))
                .statusCallbackMethod(Stream.StatusCallbackMethod.POST)
                .parameter(parameter("tenant", tenant.value()))
                .parameter(parameter("generation", answer.generation().toString()))
                .build();
        // Twilio goes on with the redirect once the stream is closed: by a hand-off, by a crash, or at the end.
        return new VoiceResponse.Builder()
                .connect(new Connect.Builder().stream(stream).build())
                .redirect(new Redirect.Builder(callbacks.continueUrl(tenant, hop))
                        .method(HttpMethod.POST)
                        .build())
                .build();
    }

    private static Parameter parameter(String name, String value) {
        return new Parameter.Builder().name(name).value(value).build();
    }

    private static VoiceResponse spoken(String sentence) {
        return new VoiceResponse.Builder()
                .say(new Say.Builder(sentence).build())
                .hangup(new Hangup.Builder().build())
                .build();
    }

    private static String xml(VoiceResponse response) {
        try {
            return response.toXml();
        } catch (TwiMLException e) {
            throw new IllegalStateException("a document of known verbs is always XML", e);
        }
    }
}
