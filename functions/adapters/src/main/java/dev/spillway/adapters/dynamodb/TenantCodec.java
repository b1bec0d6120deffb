package dev.spillway.adapters.dynamodb;

import dev.spillway.core.tenant.Persona;
import dev.spillway.core.tenant.Principal;
import dev.spillway.core.tenant.Tenant;
import dev.spillway.core.tenant.TenantId;
import java.net.URI;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** A tenant's item. */
final class TenantCodec {
    private static final long VERSION = 1;

    private TenantCodec() {}

    static Map<String, AttributeValue> encode(Tenant tenant) {
        Map<String, AttributeValue> item = new HashMap<>(encodeEntry(tenant.id()));
        item.put(
                "numbers",
                AttributeValue.fromL(
                        tenant.numbers().stream().sorted().map(Attributes::of).toList()));
        item.put("accountSid", Attributes.of(tenant.accountSid()));
        item.put("secretName", Attributes.of(tenant.secretName()));
        item.put(
                "callers",
                AttributeValue.fromL(tenant.callers().stream()
                        .map(Principal::arn)
                        .sorted()
                        .map(Attributes::of)
                        .toList()));
        Persona persona = tenant.persona();
        Map<String, AttributeValue> sound = new HashMap<>(Map.of(
                "agent", Attributes.of(persona.agent()),
                "voice", Attributes.of(persona.voice()),
                "greeting", Attributes.of(persona.greeting()),
                "resume", Attributes.of(persona.resume()),
                "farewell", Attributes.of(persona.farewell())));
        Persona.Bot bot = persona.bot();
        if (bot != null) {
            sound.put("botUrl", Attributes.of(bot.url().toString()));
            if (bot.state() != null) {
                sound.put("botState", Attributes.of(bot.state().toString()));
            }
        }
        item.put("persona", Attributes.of(sound));
        return item;
    }

    /** The tenant's entry in the directory. */
    static Map<String, AttributeValue> encodeEntry(TenantId id) {
        return Map.of("version", Attributes.of(VERSION), "tenant", Attributes.of(id.value()));
    }

    static Tenant decode(Item item) {
        Item persona = item.map("persona");
        return new Tenant(
                new TenantId(item.text("tenant")),
                Set.copyOf(item.texts("numbers")),
                item.text("accountSid"),
                item.text("secretName"),
                new Persona(
                        persona.text("agent"),
                        persona.text("voice"),
                        persona.text("greeting"),
                        persona.text("resume"),
                        persona.text("farewell"),
                        bot(persona)),
                // A spelling that is nobody's lets nobody in, and takes no phone call from the tenant either.
                item.texts("callers").stream()
                        .flatMap(arn -> Principal.parse(arn).stream())
                        .collect(Collectors.toSet()));
    }

    private static Persona.@Nullable Bot bot(Item persona) {
        return persona.optionalText("botUrl")
                .map(url -> new Persona.Bot(
                        URI.create(url),
                        persona.optionalText("botState").map(URI::create).orElse(null)))
                .orElse(null);
    }
}
