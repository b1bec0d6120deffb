package dev.spillway.localcloud.twilio;

import dev.spillway.localcloud.twilio.CallHistory.PersonaMark;
import dev.spillway.localcloud.twilio.CallHistory.Purpose;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The media streams of one call, one at a time: opens them, tells their status, and notes what they say. */
final class CallStreams implements MediaStream.Listener {
    private static final Set<String> LOOPBACK = Set.of("127.0.0.1", "localhost", "[::1]");
    private static final String PERSONA = "persona:";

    private record Callback(
            @Nullable URI url, String method, @Nullable String name) {}

    private final Call call;
    private final TwilioAccount account;
    private final Webhooks webhooks;
    private final AudioTicker ticker;
    private final Line line;
    private final Supplier<TwilioSwitches> switches;
    private final Utterances utterances;
    private final Map<String, String> parameters;
    private final Map<String, Callback> callbacks = new ConcurrentHashMap<>();
    private volatile @Nullable MediaStream current;

    CallStreams(
            Call call,
            TwilioAccount account,
            Webhooks webhooks,
            AudioTicker ticker,
            Line line,
            Supplier<TwilioSwitches> switches,
            Map<String, String> parameters) {
        this.call = call;
        this.account = account;
        this.webhooks = webhooks;
        this.ticker = ticker;
        this.line = line;
        this.switches = switches;
        this.utterances = new Utterances(call.history());
        this.parameters = parameters;
    }

    /** Starts to connect; null if the URL is none that Twilio connects to. */
    @Nullable
    MediaStream open(Twiml.Connect connect, URI base) {
        String sid = Sids.next("MZ");
        String statusCallback = connect.statusCallback();
        var callback = new Callback(
                statusCallback == null ? null : resolve(base, statusCallback),
                connect.statusCallbackMethod(),
                connect.name());
        callbacks.put(sid, callback);
        URI url;
        try {
            url = streamUrl(connect.url());
        } catch (URISyntaxException e) {
            call.history().problem(31920, "stream URL: " + e.getMessage());
            tell(sid, "stream-error", 31920, "not a stream URL");
            return null;
        }
        var history = new StreamHistory(sid, url);
        call.history().stream(history);
        var messages = new MediaMessages(account.sid(), call.sid(), sid);
        Map<String, String> told = new LinkedHashMap<>(parameters);
        told.putAll(connect.parameters()); // the document's own are never changed
        var stream = new MediaStream(ticker.loop(), messages, told, history, this);
        current = stream;
        String signed = switches.get().signStreamHandshake()
                ? Signature.of(account.authToken(), url.toString(), Map.of())
                : null;
        stream.connect(signed);
        return stream;
    }

    private @Nullable URI resolve(URI base, String url) {
        try {
            return base.resolve(url);
        } catch (IllegalArgumentException e) {
            call.history().problem(12200, "statusCallback is no URL: " + url);
            return null;
        }
    }

    /** Secure, or plain on loopback if that is allowed; without the query, which Twilio strips. */
    private URI streamUrl(String text) throws URISyntaxException {
        URI given = new URI(text);
        String host = given.getHost();
        boolean plain = "ws".equals(given.getScheme())
                && switches.get().allowPlainWebSocket()
                && host != null
                && LOOPBACK.contains(host);
        if (host == null || !(plain || "wss".equals(given.getScheme()))) {
            throw new URISyntaxException(text, "neither wss nor, on loopback, ws");
        }
        if (!webhooks.hosts().allows(host)) {
            throw new URISyntaxException(text, "the host " + host + " is not to be reached from here");
        }
        int query = text.indexOf('?');
        return query < 0 ? ConnectionOverrides.withoutFragment(given) : new URI(text.substring(0, query));
    }

    /** Ends the stream that is up, if any. */
    void stop() {
        MediaStream stream = current;
        if (stream != null) {
            ticker.run(stream::stop);
        }
    }

    @Override
    public void opened(MediaStream stream) {
        line.attach(stream);
        tell(stream.history().sid(), "stream-started", 0, "");
    }

    @Override
    public void media(MediaStream stream, byte[] audio, boolean audible) {
        utterances.audio(audio);
        if (audible) {
            line.caller().agentAudio();
        }
    }

    @Override
    public void mark(MediaStream stream, String name) {
        if (name.startsWith(PERSONA)) {
            int colon = name.lastIndexOf(':');
            String tenant = colon < PERSONA.length() ? "" : name.substring(PERSONA.length(), colon);
            String kind = name.substring(colon + 1);
            call.history()
                    .persona(new PersonaMark(tenant, kind, stream.history().sid(), Moment.now()));
            utterances.announced(stream.history().sid(), tenant, kind);
            line.caller().agentAnnounced();
        } else {
            utterances.marked(name);
        }
    }

    @Override
    public void played(MediaStream stream, String name) {
        utterances.played(name);
    }

    @Override
    public void cleared(MediaStream stream) {
        utterances.cleared();
        line.caller().agentCleared();
    }

    @Override
    public void badMessage(MediaStream stream) {
        call.history().problem(31951, "message not understood");
        if (switches.get().errorCallbackForBadMessage()) {
            tell(stream.history().sid(), "stream-error", 31951, "invalid message");
        }
    }

    @Override
    public void ended(MediaStream stream, StreamEnding ending, String detail) {
        line.detach(stream);
        utterances.ended(call.isHungUp()); // STOPPED alone would not tell that from an update
        String sid = stream.history().sid();
        if (ending.errorCode() != 0) {
            call.history().problem(ending.errorCode(), detail);
        }
        boolean error = ending.neverOpened()
                || ending.broke()
                || (ending == StreamEnding.SERVER_CLOSED && switches.get().errorCallbackForServerClose());
        if (error) {
            tell(sid, "stream-error", ending.errorCode(), ending + " " + detail);
        }
        if (stream.history().openedAt().isPresent()) {
            tell(sid, "stream-stopped", 0, "");
        }
        call.post(new Signal.StreamEnded(stream, ending));
    }

    private void tell(String streamSid, String event, int errorCode, String error) {
        Callback callback = callbacks.get(streamSid);
        if (callback == null || callback.url() == null) {
            return;
        }
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("AccountSid", account.sid());
        fields.put("CallSid", call.sid());
        fields.put("StreamSid", streamSid);
        if (callback.name() != null) {
            fields.put("StreamName", callback.name());
        }
        fields.put("StreamEvent", event);
        if (errorCode != 0) {
            fields.put("StreamErrorCode", Integer.toString(errorCode));
            fields.put("StreamError", errorCode + " " + error);
        }
        fields.put("Timestamp", Instant.now().toString());
        var request = new WebhookRequest(
                callback.url(),
                callback.method(),
                fields,
                account.authToken(),
                switches.get().signFragment());
        webhooks.tell(
                call.history(), Purpose.STREAM_STATUS, request, switches.get().streamCallbacks(), 0);
    }
}
