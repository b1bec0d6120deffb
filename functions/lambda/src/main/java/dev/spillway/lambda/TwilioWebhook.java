package dev.spillway.lambda;

import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPEvent;
import dev.spillway.adapters.twilio.FormBody;
import dev.spillway.adapters.twilio.WebhookSignature;
import dev.spillway.core.DependencyException;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.Generation;
import dev.spillway.core.call.JobId;
import dev.spillway.core.tenant.Tenant;
import dev.spillway.core.tenant.TenantId;
import dev.spillway.core.tenant.TwilioTokens;
import dev.spillway.lambda.TenantLookup.Found;
import dev.spillway.lambda.Verdict.Accepted;
import dev.spillway.lambda.Verdict.Refusal;
import dev.spillway.lambda.Verdict.Refused;
import dev.spillway.lambda.Verdict.Unknowable;
import dev.spillway.lambda.Webhook.DialName;
import dev.spillway.lambda.WebhookKind.Adds;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * Checks that a request is Twilio's and about the tenant in its path; writes nothing. First what can be seen without
 * asking anybody, so that garbage costs no read, then the tenant, the signature, the account and the number.
 */
final class TwilioWebhook {
    /** Twilio's forms have a few kB; its own TwiML limit is 64 kB (FACTS 1). */
    private static final int MOST_BYTES = 64 * 1024;

    private static final int MOST_BASE64 = (MOST_BYTES + 2) / 3 * 4;

    private final String publicUrl;
    private final TenantLookup tenants;
    private final TwilioTokens tokens;

    TwilioWebhook(String publicUrl, TenantLookup tenants, TwilioTokens tokens) {
        this.publicUrl = publicUrl;
        this.tenants = tenants;
        this.tokens = tokens;
    }

    Verdict verify(WebhookKind kind, APIGatewayV2HTTPEvent event) {
        if (!"POST".equals(method(event))) {
            return new Refused(Refusal.METHOD_NOT_ALLOWED, "not a POST");
        }
        if (!FormBody.isNamedBy(header(event, "content-type"))) {
            return new Refused(Refusal.UNSUPPORTED_TYPE, "not a form");
        }
        String[] path = text(event.getRawPath()).split("/", -1);
        if (path.length != kind.parts() || !path[1].equals("twilio") || !path[2].equals(kind.segment())) {
            return new Refused(Refusal.NOT_FOUND, "not a path of this function");
        }
        Optional<TenantId> tenant = TenantId.parse(path[3]);
        if (tenant.isEmpty()) {
            return new Refused(Refusal.NOT_FOUND, "not a tenant id");
        }
        OptionalInt hop = kind.adds() == Adds.HOP ? hop(path[4]) : OptionalInt.of(0);
        if (hop.isEmpty()) {
            return new Refused(Refusal.BAD_REQUEST, "not a hop");
        }
        DialName dial = null;
        if (kind.adds() == Adds.DIAL) {
            dial = dial(tenant.get(), path[4], path[5]).orElse(null);
            if (dial == null) {
                return new Refused(Refusal.BAD_REQUEST, "not a dial of this tenant's");
            }
        }
        String body = text(event.getBody());
        if (body.length() > (event.getIsBase64Encoded() ? MOST_BASE64 : MOST_BYTES)) {
            return new Refused(Refusal.TOO_LARGE, "the body is over " + MOST_BYTES + " bytes");
        }
        Optional<Map<String, String>> form =
                (event.getIsBase64Encoded() ? decoded(body) : Optional.of(body)).flatMap(FormBody::parse);
        if (form.isEmpty()) {
            return new Refused(Refusal.BAD_REQUEST, "the body is malformed");
        }
        Optional<CallSid> call = CallSid.parse(form.get().getOrDefault("CallSid", ""));
        if (call.isEmpty()) {
            return new Refused(Refusal.BAD_REQUEST, "no CallSid, or a malformed one");
        }
        int fromHop = hop.getAsInt();
        if (kind == WebhookKind.FALLBACK) {
            fromHop = failedHop(tenant.get(), form.get());
            dial = failedDial(tenant.get(), form.get()).orElse(null);
        }
        return authenticate(kind, event, tenant.get(), call.get(), fromHop, dial, form.get());
    }

    private Verdict authenticate(
            WebhookKind kind,
            APIGatewayV2HTTPEvent event,
            TenantId id,
            CallSid call,
            int hop,
            @Nullable DialName dial,
            Map<String, String> form) {
        return switch (tenants.find(id)) {
            case Found.Nobody nobody -> new Refused(Refusal.NOT_FOUND, "unknown tenant");
            case Found.Known known -> {
                Webhook webhook = new Webhook(kind, known.tenant(), call, hop, dial, form, true);
                yield authenticated(webhook, event);
            }
            case Found.Unreadable unreadable -> {
                Tenant byName = tenants.byNameOnly(id, form);
                yield authenticated(new Webhook(kind, byName, call, hop, dial, form, false), event);
            }
        };
    }

    private Verdict authenticated(Webhook webhook, APIGatewayV2HTTPEvent event) {
        try {
            if (!isSigned(webhook, event)) {
                return new Refused(Refusal.FORBIDDEN, "the signature is missing or wrong");
            }
        } catch (DependencyException e) {
            return new Unknowable("the tokens cannot be read: " + e.dependency());
        }
        if (webhook.directoryRead()) {
            if (!webhook.parameter("AccountSid").equals(webhook.tenant().accountSid())) {
                return new Refused(Refusal.FORBIDDEN, "another account");
            }
            if (webhook.kind().hasNumbers() && !isOwnNumber(webhook)) {
                return new Refused(Refusal.FORBIDDEN, "not a number of this tenant");
            }
        }
        return new Accepted(webhook);
    }

    /** With the tokens at hand, and once more with fresh ones, so that a token rotated a moment ago is found. */
    private boolean isSigned(Webhook webhook, APIGatewayV2HTTPEvent event) {
        String signature = header(event, "x-twilio-signature");
        if (signature.isEmpty()) {
            return false;
        }
        String query = text(event.getRawQueryString());
        String url = publicUrl + text(event.getRawPath()) + (query.isEmpty() ? "" : "?" + query);
        List<String> known = tokens.of(webhook.tenant());
        if (WebhookSignature.isValid(known, url, webhook.parameters(), signature)) {
            return true;
        }
        tokens.refresh(webhook.tenant());
        List<String> fresh = tokens.of(webhook.tenant());
        return !fresh.equals(known) && WebhookSignature.isValid(fresh, url, webhook.parameters(), signature);
    }

    private static boolean isOwnNumber(Webhook webhook) {
        boolean outbound = webhook.parameter("Direction").startsWith("outbound");
        return webhook.tenant().numbers().contains(webhook.parameter(outbound ? "From" : "To"));
    }

    /** The hop whose continue URL failed, if it is that which the fallback stands in for; otherwise 0. */
    private int failedHop(TenantId tenant, Map<String, String> form) {
        return failed(WebhookKind.CONTINUE, tenant, form)
                .filter(rest -> rest.length == 1)
                .map(rest -> hop(rest[0]).orElse(0))
                .orElse(0);
    }

    /** The dial whose TwiML failed, if it is that which the fallback stands in for: a slot is claimed for it already. */
    private Optional<DialName> failedDial(TenantId tenant, Map<String, String> form) {
        return failed(WebhookKind.DIAL, tenant, form)
                .filter(rest -> rest.length == 2)
                .flatMap(rest -> dial(tenant, rest[0], rest[1]));
    }

    /** What a URL of ours that failed says beyond the tenant; empty if what failed is of another kind. */
    private Optional<String[]> failed(WebhookKind kind, TenantId tenant, Map<String, String> form) {
        String failed = form.getOrDefault("ErrorUrl", "").split("#", 2)[0];
        String ours = publicUrl + "/twilio/" + kind.segment() + "/" + tenant + "/";
        return failed.startsWith(ours)
                ? Optional.of(failed.substring(ours.length()).split("/", -1))
                : Optional.empty();
    }

    private static Optional<DialName> dial(TenantId tenant, String job, String generation) {
        return JobId.parse(job)
                .filter(id -> id.tenant().equals(tenant))
                .flatMap(id -> Generation.parse(generation).map(found -> new DialName(id, found)));
    }

    private static OptionalInt hop(String text) {
        return text.matches("[0-9]{1,6}") ? OptionalInt.of(Integer.parseInt(text)) : OptionalInt.empty();
    }

    private static Optional<String> decoded(String base64) {
        try {
            return Optional.of(new String(Base64.getDecoder().decode(base64), StandardCharsets.UTF_8));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private static String method(APIGatewayV2HTTPEvent event) {
        var context = event.getRequestContext();
        return context == null || context.getHttp() == null
                ? ""
                : text(context.getHttp().getMethod());
    }

    /** API Gateway writes header names in lower case (FACTS 2); others may not. */
    private static String header(APIGatewayV2HTTPEvent event, String name) {
        Map<String, String> headers = event.getHeaders() == null ? Map.of() : event.getHeaders();
        return headers.entrySet().stream()
                .filter(entry -> entry.getKey().toLowerCase(Locale.ROOT).equals(name))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse("");
    }

    private static String text(@Nullable String value) {
        return value == null ? "" : value;
    }
}
