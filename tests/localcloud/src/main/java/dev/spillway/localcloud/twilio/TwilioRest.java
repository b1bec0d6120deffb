package dev.spillway.localcloud.twilio;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.spillway.localcloud.LocalHttpServer;
import dev.spillway.localcloud.LocalHttpServer.Request;
import dev.spillway.localcloud.LocalHttpServer.Response;
import dev.spillway.localcloud.twilio.CallHistory.Purpose;
import dev.spillway.localcloud.twilio.TwimlParser.InvalidTwiml;
import java.io.IOException;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Base64;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Twilio's REST API for calls: make one, read one, list them, update one. */
final class TwilioRest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Pattern CALLS = Pattern.compile("/2010-04-01/Accounts/([^/]+)/Calls\\.json");
    private static final Pattern CALL = Pattern.compile("/2010-04-01/Accounts/([^/]+)/Calls/([^/]+)\\.json");
    private static final int LONGEST_TWIML = 4_000;
    private static final int LARGEST_PAGE = 1_000;

    private final TwilioStandIn twilio;
    private final LocalHttpServer server;
    private final Peer peer = new Peer();
    private volatile boolean throttled;

    TwilioRest(int port, TwilioStandIn twilio) {
        this.twilio = twilio;
        this.server = new LocalHttpServer("twilio", port, this::handle);
    }

    URI url() {
        return server.url();
    }

    void throttle(boolean value) {
        throttled = value;
    }

    Set<Integer> connectedPorts() {
        return server.connectedPorts();
    }

    void close() {
        server.close();
    }

    private Response handle(Request request) throws IOException, InterruptedException {
        if (request.path().equals(Peer.PATH)) {
            return peer.told(request);
        }
        if (throttled) {
            return error(429, 20429, "Too Many Requests");
        }
        if (peer.isThere() && !isOfThisSide(request)) {
            Optional<Response> answer = peer.ask(request);
            if (answer.isPresent()) {
                return answer.get();
            }
        }
        Matcher one = CALL.matcher(request.path());
        Matcher all = CALLS.matcher(request.path());
        boolean isOne = one.matches();
        if (!isOne && !all.matches()) {
            return error(404, 20404, "The requested resource " + request.path() + " was not found");
        }
        Optional<TwilioAccount> account = authenticated(request, (isOne ? one : all).group(1));
        if (account.isEmpty()) {
            return error(401, 20003, "Authenticate");
        }
        return switch (request.method()) {
            case "GET" -> isOne ? get(account.get(), one.group(2)) : list(account.get(), request);
            case "POST" -> isOne ? update(account.get(), one.group(2), request) : create(account.get(), request);
            default -> error(405, 20004, "Method not allowed");
        };
    }

    /** A call placed here stays here, whoever has come in the meantime. */
    private boolean isOfThisSide(Request request) {
        Matcher one = CALL.matcher(request.path());
        return one.matches() && twilio.call(one.group(2)).isPresent();
    }

    private Optional<TwilioAccount> authenticated(Request request, String sid) {
        return twilio.account(sid).filter(account -> {
            byte[] pair = (account.sid() + ":" + account.authToken()).getBytes(StandardCharsets.UTF_8);
            String expected = "Basic " + Base64.getEncoder().encodeToString(pair);
            return expected.equals(request.headers().get("authorization"));
        });
    }

    private Optional<Call> find(TwilioAccount account, String sid) {
        return twilio.call(sid).filter(call -> call.accountSid().equals(account.sid()));
    }

    private Response get(TwilioAccount account, String sid) {
        return find(account, sid)
                .map(call -> Response.json(200, json(call).toString()))
                .orElseGet(() -> unknown(account, sid));
    }

    private static Response unknown(TwilioAccount account, String sid) {
        return error(
                404,
                20404,
                "The requested resource /2010-04-01/Accounts/" + account.sid() + "/Calls/" + sid
                        + ".json was not found");
    }

    private Response create(TwilioAccount account, Request request) {
        Map<String, String> form = fields(request.text());
        String to = form.getOrDefault("To", "");
        String from = form.getOrDefault("From", "");
        if (!to.matches("\\+[1-9][0-9]{6,14}")) {
            return error(400, 21211, "Invalid 'To' Phone Number");
        }
        if (account.number(from).isEmpty()) {
            return error(400, 21210, "'From' phone number not verified");
        }
        String url = form.getOrDefault("Url", "");
        if (!url.startsWith("http")) {
            return error(400, 21205, "Url is not valid");
        }
        Set<String> events = new HashSet<>();
        for (String pair : request.text().split("&")) {
            if (pair.startsWith("StatusCallbackEvent=")) {
                events.add(decode(pair.substring(pair.indexOf('=') + 1)));
            }
        }
        var number =
                new TwilioNumber(from, URI.create(url), uri(form.get("FallbackUrl")), uri(form.get("StatusCallback")));
        Call call = twilio.dial(account, number, to, events);
        return twilio.losesReply()
                ? error(503, 20503, "Service unavailable")
                : Response.json(201, json(call).put("status", "queued").toString()); // as it was when it was made
    }

    private static @Nullable URI uri(@Nullable String text) {
        return text == null ? null : URI.create(text);
    }

    private Response update(TwilioAccount account, String sid, Request request) {
        Optional<Call> found = find(account, sid);
        if (found.isEmpty()) {
            return unknown(account, sid);
        }
        Call call = found.get();
        Map<String, String> form = fields(request.text());
        if (form.containsKey("Url") && form.containsKey("Twiml")) {
            return error(400, 20001, "Url and Twiml exclude each other");
        }
        boolean done;
        if (form.containsKey("Status")) {
            switch (form.getOrDefault("Status", "")) {
                case "completed" -> done = end(call, EndReason.COMPLETED_BY_REST, true);
                case "canceled" -> done = end(call, EndReason.CANCELED_BY_REST, false);
                default -> {
                    return error(400, 20001, "Status is completed or canceled");
                }
            }
        } else {
            try {
                done = call.divertIf(CallStatus.IN_PROGRESS, step(account, call, form));
            } catch (InvalidTwiml | IllegalArgumentException e) {
                return error(400, 21205, "Url or Twiml is not valid: " + e.getMessage());
            }
        }
        return done
                ? Response.json(200, json(call).toString())
                : error(400, 21220, "Call is not in-progress. Cannot redirect.");
    }

    private static boolean end(Call call, EndReason reason, boolean evenInProgress) {
        var end = new Step.End(reason);
        return call.divertIf(CallStatus.QUEUED, end)
                || call.divertIf(CallStatus.RINGING, end)
                || (evenInProgress && call.divertIf(CallStatus.IN_PROGRESS, end));
    }

    private static Step step(TwilioAccount account, Call call, Map<String, String> form) throws InvalidTwiml {
        String twiml = form.get("Twiml");
        if (twiml != null) {
            if (twiml.length() > LONGEST_TWIML) {
                throw new IllegalArgumentException("longer than 4000 characters");
            }
            TwilioNumber number = account.number(call.isOutbound() ? call.from() : call.to())
                    .orElseThrow(() -> new IllegalArgumentException("the call's number is gone"));
            return CallSession.given(twiml, call, number);
        }
        URI url = URI.create(form.getOrDefault("Url", ""));
        if (!Set.of("http", "https").contains(String.valueOf(url.getScheme()))) {
            throw new IllegalArgumentException("not an HTTP URL");
        }
        String method = form.getOrDefault("Method", "POST").equals("GET") ? "GET" : "POST";
        return new Step.Fetch(Purpose.UPDATE, url, method, Map.of());
    }

    private Response list(TwilioAccount account, Request request) {
        Map<String, String> query = fields(request.query());
        int pageSize = number(query.get("PageSize"), 50, 1, LARGEST_PAGE);
        int page = number(query.get("Page"), 0, 0, Integer.MAX_VALUE / LARGEST_PAGE);
        List<Call> matching = twilio.calls().reversed().stream() // the newest first
                .filter(call -> call.accountSid().equals(account.sid()))
                .filter(call -> matches(query.get("Status"), call.status().text()))
                .filter(call -> matches(query.get("To"), call.to()))
                .filter(call -> matches(query.get("From"), call.from()))
                .filter(call -> startedIn(query, call))
                .toList();
        int from = Math.min(matching.size(), page * pageSize);
        int to = Math.min(matching.size(), from + pageSize);
        ObjectNode answer = JSON.createObjectNode();
        var array = answer.putArray("calls");
        matching.subList(from, to).forEach(call -> array.add(json(call)));
        answer.put("page", page).put("page_size", pageSize).put("start", from).put("end", Math.max(from, to - 1));
        answer.put("uri", request.target()).put("first_page_uri", pageUri(request, query, 0));
        answer.put("next_page_uri", to < matching.size() ? pageUri(request, query, page + 1) : null);
        answer.put("previous_page_uri", page > 0 ? pageUri(request, query, page - 1) : null);
        return Response.json(200, answer.toString());
    }

    private static boolean matches(@Nullable String wanted, String actual) {
        return wanted == null || wanted.equals(actual);
    }

    /** By days in UTC. A call that has not started is in no span of time. */
    private static boolean startedIn(Map<String, String> query, Call call) {
        Optional<String> day = call.startedAt()
                .map(at -> LocalDate.ofInstant(at.wall(), ZoneOffset.UTC).toString());
        return isInSpan(query.get("StartTime"), day, 0)
                && isInSpan(query.get("StartTime>"), day, 1)
                && isInSpan(query.get("StartTime<"), day, -1);
    }

    private static boolean isInSpan(@Nullable String bound, Optional<String> day, int direction) {
        if (bound == null) {
            return true;
        }
        if (day.isEmpty()) {
            return false;
        }
        int order = Integer.signum(day.get().compareTo(bound));
        return order == 0 || order == direction;
    }

    private static String pageUri(Request request, Map<String, String> query, int page) {
        Map<String, String> fields = new LinkedHashMap<>(query);
        fields.put("Page", Integer.toString(page));
        var form = new WebhookRequest(URI.create("http://twilio.invalid/"), "POST", fields, "", false).form();
        return request.path() + "?" + form;
    }

    private static int number(@Nullable String text, int otherwise, int least, int most) {
        return text != null && text.matches("[0-9]{1,6}") ? Math.clamp(Integer.parseInt(text), least, most) : otherwise;
    }

    private static ObjectNode json(Call call) {
        String path = "/2010-04-01/Accounts/" + call.accountSid() + "/Calls/" + call.sid();
        ObjectNode node = JSON.createObjectNode();
        node.put("sid", call.sid()).put("account_sid", call.accountSid());
        node.put("to", call.to()).put("to_formatted", call.to());
        node.put("from", call.from()).put("from_formatted", call.from());
        node.put("status", call.status().text())
                .put("direction", call.direction())
                .put("api_version", "2010-04-01");
        String created = RestDates.format(call.placedAt().wall());
        node.put("date_created", created).put("date_updated", created);
        node.put(
                "start_time",
                call.startedAt().map(at -> RestDates.format(at.wall())).orElse(null));
        node.put(
                "end_time",
                call.endedAt().map(at -> RestDates.format(at.wall())).orElse(null));
        node.put(
                "duration",
                call.endedAt()
                        .map(at -> Long.toString((call.length().toMillis() + 999) / 1_000))
                        .orElse(null));
        node.putNull("price")
                .put("price_unit", "USD")
                .putNull("parent_call_sid")
                .putNull("answered_by");
        node.putNull("forwarded_from")
                .putNull("group_sid")
                .putNull("caller_name")
                .put("queue_time", "0");
        node.put("trunk_sid", "").putNull("phone_number_sid").putNull("annotation");
        node.put("uri", path + ".json");
        node.putObject("subresource_uris").put("recordings", path + "/Recordings.json");
        return node;
    }

    private static Map<String, String> fields(String form) {
        Map<String, String> fields = new LinkedHashMap<>();
        for (String pair : form.split("&")) {
            String[] parts = pair.split("=", 2);
            if (!parts[0].isEmpty()) {
                fields.put(decode(parts[0]), parts.length > 1 ? decode(parts[1]) : "");
            }
        }
        return fields;
    }

    private static String decode(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return text;
        }
    }

    private static Response error(int status, int code, String message) {
        return Response.json(
                status,
                JSON.createObjectNode()
                        .put("code", code)
                        .put("message", message)
                        .put("more_info", "https://www.twilio.com/docs/errors/" + code)
                        .put("status", status)
                        .toString());
    }
}
