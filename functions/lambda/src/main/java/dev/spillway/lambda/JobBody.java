package dev.spillway.lambda;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.spillway.core.outbound.JobCheck.Problem;
import dev.spillway.core.outbound.JobWish;
import dev.spillway.core.tenant.TenantId;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The body of {@code POST /calls}: one call as an object, or up to 500 of them as an array. */
final class JobBody {
    /** A batch of more comes in several requests: each is written within one function's time. A guess. */
    static final int MOST_CALLS = 500;

    /** In UTF-16 units; more than 500 calls with every field need. */
    static final int MOST_CHARACTERS = 1024 * 1024;

    static final Set<String> FIELDS =
            Set.of("tenant", "to", "from", "agent", "batch", "weight", "notBefore", "deadline", "maximumWait");

    static final ObjectMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY)
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();

    private JobBody() {}

    /** What a body says. */
    sealed interface Parsed {
        /** @param single whether it was an object: its fields are named without an index */
        record Read(List<JobWish> wishes, boolean single) implements Parsed {
            String field(int index, String name) {
                return JobBody.field(index, name, single);
            }
        }

        /**
         * Fields of another form, or name, than they should have.
         *
         * @param rest what could be read, with nothing in the place of those fields
         */
        record Faulty(List<Problem> problems, Read rest) implements Parsed {
            /** Whether that field is named already, or is of something that is no call at all. */
            boolean names(int index, String field) {
                return problems.stream()
                        .map(Problem::field)
                        .anyMatch(named -> named.equals(rest.field(index, field)) || named.equals("[" + index + "]"));
            }
        }

        record Refused(ProblemDetails problem) implements Parsed {}
    }

    static Parsed parse(String body) {
        if (body.length() > MOST_CHARACTERS) {
            return new Parsed.Refused(ProblemDetails.tooLarge("a body has 1 MB at most"));
        }
        JsonNode tree;
        try {
            tree = JSON.readTree(body);
        } catch (JsonProcessingException e) {
            return new Parsed.Refused(ProblemDetails.NOT_JSON);
        }
        if (tree == null || !(tree.isObject() || (tree.isArray() && !tree.isEmpty()))) {
            return new Parsed.Refused(ProblemDetails.NOT_JSON);
        }
        if (tree.size() > MOST_CALLS && tree.isArray()) {
            return new Parsed.Refused(ProblemDetails.tooLarge("a request has " + MOST_CALLS + " calls at most"));
        }
        boolean single = tree.isObject();
        List<JsonNode> calls = new ArrayList<>();
        if (single) {
            calls.add(tree);
        } else {
            tree.forEach(calls::add);
        }
        List<Problem> problems = new ArrayList<>();
        List<JobWish> wishes = new ArrayList<>();
        for (int i = 0; i < calls.size(); i++) {
            wishes.add(new Reader(calls.get(i), i, single, problems).wish());
        }
        Parsed.Read read = new Parsed.Read(wishes, single);
        return problems.isEmpty() ? read : new Parsed.Faulty(problems, read);
    }

    private static String field(int index, String name, boolean single) {
        return single ? name : "[" + index + "]." + name;
    }

    /** Reads one call and gathers what is wrong with the form of its fields. */
    private record Reader(JsonNode call, int index, boolean single, List<Problem> problems) {
        JobWish wish() {
            if (!call.isObject()) {
                problems.add(new Problem("[" + index + "]", "want an object"));
                return new JobWish(null, null, null, null, null, null, null, null, null);
            }
            call.fieldNames().forEachRemaining(name -> {
                if (!FIELDS.contains(name)) {
                    problems.add(new Problem(field(index, known(name), single), "there is no such field"));
                }
            });
            @Nullable
            TenantId tenant = read("tenant", text -> TenantId.parse(text).orElse(null), "want a tenant's id");
            if (tenant == null && !call.hasNonNull("tenant")) {
                problems.add(new Problem(field(index, "tenant", single), "is missing"));
            }
            return new JobWish(
                    tenant,
                    read("to", text -> text, "want a text"),
                    read("from", text -> text, "want a text"),
                    read("agent", text -> text, "want a text"),
                    read("batch", text -> text, "want a text"),
                    weight(),
                    read("notBefore", JobBody::instant, "want a time such as 2026-11-29T09:00:00Z"),
                    read("deadline", JobBody::instant, "want a time such as 2026-11-29T09:00:00Z"),
                    read("maximumWait", JobBody::duration, "want a duration such as PT15M"));
        }

        private @Nullable Integer weight() {
            JsonNode node = call.get("weight");
            if (node == null || node.isNull()) {
                return null;
            }
            if (!node.isInt()) {
                problems.add(new Problem(field(index, "weight", single), "want a whole number from 1 to 100"));
                return null;
            }
            return node.asInt();
        }

        private <T> @Nullable T read(String name, Function<String, @Nullable T> parser, String wanted) {
            JsonNode node = call.get(name);
            if (node == null || node.isNull()) {
                return null;
            }
            @Nullable T value = node.isTextual() ? parser.apply(node.asText()) : null;
            if (value == null) {
                problems.add(new Problem(field(index, name, single), wanted));
            }
            return value;
        }

        /** A stranger's word is repeated only if it can be a field's name at all. */
        private static String known(String name) {
            return name.matches("[A-Za-z]{1,32}") ? name : "?";
        }
    }

    private static @Nullable Instant instant(String text) {
        try {
            return OffsetDateTime.parse(text).toInstant();
        } catch (DateTimeException e) {
            return null;
        }
    }

    private static @Nullable Duration duration(String text) {
        try {
            return Duration.parse(text);
        } catch (DateTimeException e) {
            return null;
        }
    }
}
