package dev.spillway.infra;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.spillway.core.pool.Policy;
import dev.spillway.core.pool.Policy.ScaleInRule;
import dev.spillway.core.pool.Policy.ScaleOutRule;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.tenant.Mode;
import dev.spillway.core.tenant.Persona;
import dev.spillway.core.tenant.Principal;
import dev.spillway.core.tenant.TenantId;
import dev.spillway.lambda.PoolDescription;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One tenant of the tenants file; {@code tenants.schema.json} describes it. What is missing has the usual value.
 *
 * @param mode {@code on-demand}: nothing runs without calls; {@code production}: two containers, in two zones
 * @param callers ARNs of IAM users and roles that may ask the HTTP API about it, besides operators
 * @param outbound as {@link PoolDescription} reads it; without it the tenant makes no calls
 * @param cpu CPU units of a container, 1024 to a vCPU
 * @param memory of a task in MiB; with a bot in it, what the bot may not use is the media container's
 * @param botContainer the tenant's own bot beside each of its containers, for the agent {@code upstream}
 * @param priority of its rule at the load balancer; made from the id if missing
 */
record TenantPlan(
        String id,
        String mode,
        List<String> numbers,
        String accountSid,
        Persona persona,
        @Nullable List<String> callers,
        @Nullable Integer limit,
        @Nullable Integer maximum,
        @Nullable String scaleOut,
        @Nullable String scaleIn,
        @Nullable JsonNode outbound,
        @Nullable Integer cpu,
        @Nullable Integer memory,
        @Nullable BotContainer botContainer,
        @Nullable Integer priority) {
    /** The first text's measured figure for one vCPU; yours differs. */
    static final int USUAL_LIMIT = 6;

    static final int USUAL_CPU = 1024;
    static final int USUAL_MEMORY = 2048;

    /** 70 % of it is heap: six calls hold a tenth of that, and new ones are refused below 64 MB (a guess, with room). */
    static final int LEAST_MEDIA_MEMORY = 512;

    /** A guess: 120 calls at once, and a bound for what a mistake may cost. */
    private static final int USUAL_MAXIMUM = 20;

    private static final Pattern NUMBER = Pattern.compile("\\+[1-9][0-9]{6,14}");
    private static final Pattern ACCOUNT = Pattern.compile("AC[0-9a-f]{32}");

    /** The load balancer has room for 50,000 priorities; those below are for rules of others. */
    private static final int FIRST_PRIORITY = 1_000;

    private static final int PRIORITIES = 49_000;

    TenantPlan {
        TenantId tenant = new TenantId(id);
        numbers = numbers == null ? List.of() : List.copyOf(numbers);
        String who = "tenant " + tenant + ": ";
        if (numbers.isEmpty()
                || !numbers.stream().allMatch(number -> NUMBER.matcher(number).matches())) {
            throw new IllegalArgumentException(who + "want numbers in E.164, at least one");
        }
        if (accountSid == null || !ACCOUNT.matcher(accountSid).matches()) {
            throw new IllegalArgumentException(
                    who + "want the accountSid of its Twilio subaccount, AC and 32 hex digits");
        }
        if (persona == null) {
            throw new IllegalArgumentException(who + "a persona is missing: nobody is ever greeted by default");
        }
        if (botContainer != null && !persona.agent().equals(Persona.UPSTREAM)) {
            throw new IllegalArgumentException(
                    who + "a botContainer answers nobody unless the persona's agent is " + Persona.UPSTREAM);
        }
        int whole = memory == null ? USUAL_MEMORY : memory;
        if (botContainer != null && whole - botContainer.mebibytes() < LEAST_MEDIA_MEMORY) {
            throw new IllegalArgumentException(
                    who + "its bot may use " + botContainer.mebibytes() + " MiB of the task's "
                            + whole + ", and the media container beside it needs " + LEAST_MEDIA_MEMORY
                            + ": give the task more \"memory\"");
        }
        if (priority != null && (priority < 1 || priority >= SharedStack.GATEWAY_PRIORITY)) {
            throw new IllegalArgumentException(who + "want a priority from 1 to 49999, not " + priority);
        }
        callers = callers == null ? List.of() : List.copyOf(callers);
        for (String caller : callers) {
            if (Principal.parse(caller).isEmpty()) {
                throw new IllegalArgumentException(
                        who + "want ARNs of IAM users and roles as callers, not '" + caller + "'");
            }
        }
        mode(who, mode);
    }

    private static Mode mode(String who, @Nullable String text) {
        return switch (text == null ? "" : text) {
            case "on-demand" -> Mode.ON_DEMAND;
            case "production" -> Mode.PRODUCTION;
            default ->
                throw new IllegalArgumentException(who + "want mode on-demand or production, not '" + text + "'");
        };
    }

    TenantId tenant() {
        return new TenantId(id);
    }

    PoolId pool() {
        return PoolId.of(tenant());
    }

    Policy policy() {
        int minimum = mode("", mode).minimum();
        return new Policy(
                minimum,
                Math.max(minimum, maximum == null ? USUAL_MAXIMUM : maximum),
                limit == null ? USUAL_LIMIT : limit,
                0,
                scaleOut == null ? Policy.USUAL_SCALE_OUT : ScaleOutRule.valueOf(constant(scaleOut)),
                scaleIn == null ? Policy.USUAL_SCALE_IN : ScaleInRule.valueOf(constant(scaleIn)));
    }

    int containerCpu() {
        return cpu == null ? USUAL_CPU : cpu;
    }

    int containerMemory() {
        return memory == null ? USUAL_MEMORY : memory;
    }

    /** From the id alone, so that no tenant's rule moves when another tenant comes or goes. */
    int rulePriority() {
        return priority == null ? FIRST_PRIORITY + Math.floorMod(id.hashCode(), PRIORITIES) : priority;
    }

    /** What the registration function is told, read back once. */
    String description(Names names) {
        ObjectNode root = Descriptions.of(names, pool(), policy());
        if (outbound != null) {
            root.set("outbound", outbound);
        }
        ObjectNode tenant = root.putObject("tenant");
        tenant.put("id", id).put("accountSid", accountSid).put("secretName", names.tenantSecret(tenant()));
        numbers.stream().sorted().forEach(tenant.putArray("numbers")::add);
        ArrayNode asking = tenant.putArray("callers");
        if (callers != null) {
            callers.stream().sorted().forEach(asking::add);
        }
        ObjectNode sound = tenant.putObject("persona")
                .put("agent", persona.agent())
                .put("voice", persona.voice())
                .put("greeting", persona.greeting())
                .put("resume", persona.resume())
                .put("farewell", persona.farewell());
        Persona.Bot own = persona.bot();
        if (own != null) {
            ObjectNode bot = sound.putObject("bot").put("url", own.url().toString());
            if (own.state() != null) {
                bot.put("state", own.state().toString());
            }
        }
        return Descriptions.checked("tenant " + id, root);
    }

    private static String constant(String text) {
        return text.toUpperCase(Locale.ROOT).replace('-', '_');
    }

    /** Phone numbers stay out of messages. */
    @Override
    public String toString() {
        return "TenantPlan[" + id + "]";
    }
}
