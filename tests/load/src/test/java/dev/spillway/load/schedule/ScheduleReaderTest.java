package dev.spillway.load.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ScheduleReaderTest {
    private static final String HEAD = """
            {
             "schedule": 1,
             "name": "small",
             "question": "does it fit?",
             "unit": "seconds",
             "seed": null,
             "rule": null,
             "classes": {"default": {"turns": 3}},
             "quiet_after": 60,
             "arrivals": [
            """;

    private static Schedule read(String text) throws InvalidScheduleException {
        return ScheduleReader.read("test", text.getBytes(StandardCharsets.UTF_8));
    }

    private static List<String> faults(String text) {
        InvalidScheduleException refused = catchThrowableOfType(InvalidScheduleException.class, () -> read(text));
        assertThat(refused).as("it was accepted: " + text).isNotNull();
        return refused.faults().stream().map(Object::toString).toList();
    }

    @Test
    void equalTimesStayEqual() throws Exception {
        Schedule schedule = read(HEAD + """
                  {"at": 0.333, "duration": 300.0, "class": "default"},
                  {"at": 0.333, "class": "default"},
                  {"at": 0.333, "class": "default", "retryOf": 0, "direction": "outbound"}
                 ]
                }
                """);

        assertThat(schedule.arrivals()).extracting(Arrival::at).containsExactly(0.333, 0.333, 0.333);
        assertThat(schedule.arrivals().get(2).retryOf()).isZero();
        assertThat(schedule.directionOf(schedule.arrivals().get(2))).isEqualTo(Direction.OUTBOUND);
        assertThat(schedule.arrivals().get(1).duration()).isNull();
        assertThat(schedule.quietAfter()).isEqualTo(60);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"at\": 1, \"class\": \"default\"}, NEXT {\"at\": 0.5, \"class\": \"default\"} | line 12: | sorted",
                "{\"at\": 0, \"class\": \"default\"}, NEXT {\"at\": -1, \"class\": \"default\"} | line 12: | at is -1",
                "{\"at\": NaN, \"class\": \"default\"} | line 11: | not finite",
                "{\"at\": 1e999, \"class\": \"default\"} | line 11: | not finite",
                "{\"at\": true, \"class\": \"default\"} | line 11: | not a number",
                "{\"at\": 0, \"class\": \"other\"} | line 11: | the classes are [default]",
                "{\"at\": 0, \"class\": \"\"} | line 11: | class is empty",
                "{\"at\": 0} | line 11: | class is empty",
                "{\"class\": \"default\"} | line 11: | has no time",
                "{\"at\": 0, \"class\": \"default\", \"colour\": 1} | line 11: | has no key 'colour'",
                "{\"at\": 0, \"class\": \"default\", \"retryOf\": 0} | line 11: | an earlier arrival",
                "{\"at\": 0, \"at\": 1, \"class\": \"default\"} | line 11: | Duplicate",
            })
    void whatIsWrongIsRefusedWithItsLine(String arrivals, String line, String text) {
        assertThat(faults(HEAD + arrivals.replace("NEXT", "\n") + "\n]\n}\n"))
                .anySatisfy(fault -> assertThat(fault).startsWith(line).contains(text));
    }

    @Test
    void anEmptyClassIsRefused() {
        assertThat(faults(HEAD.replace("{\"turns\": 3}", "{}") + "]}"))
                .contains("line 8: class 'default' is empty; want its turns, at least");
        assertThat(faults(HEAD.replace("{\"default\": {\"turns\": 3}}", "{}") + "]}"))
                .anySatisfy(fault -> assertThat(fault).startsWith("line 8").contains("at least one class"));
        assertThat(faults(HEAD.replace("3}", "[]}") + "]}")).contains("line 8: class 'default'.turns is empty");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "\"answer\": 60.5 | answer is 60.5; want at most 60",
                "\"cpu\": 61 | cpu is 61; want at most 60",
                "\"tools\": [\"calendar\", \"\"] | tools has an empty name",
                "\"tools\": [TWENTY, \"one\"] | tools has 21 names; want at most 20",
            })
    void whatAnAgentWouldPassOverIsRefused(String key, String text) {
        String twenty = String.join(", ", Collections.nCopies(20, "\"orders\""));

        assertThat(faults(HEAD.replace("\"turns\": 3", "\"turns\": 3,\n" + key.replace("TWENTY", twenty)) + "]}"))
                .containsExactly("line 9: class 'default'." + text);
    }

    @Test
    void whatAnAgentJustTakesIsAccepted() throws Exception {
        String twenty = String.join(", ", Collections.nCopies(20, "\"orders\""));

        CallClass most = Objects.requireNonNull(read(HEAD.replace(
                                "\"turns\": 3",
                                "\"turns\": 3, \"answer\": 60, \"cpu\": 60, \"tools\": [" + twenty + "]")
                        + "]}")
                .classes()
                .get("default"));

        assertThat(most.answer()).isEqualTo(60);
        assertThat(most.cpu()).isEqualTo(60);
        assertThat(most.tools()).hasSize(20);
    }

    @Test
    void everyFaultIsToldAtOnce() {
        assertThat(faults(HEAD + "{\"at\": -1, \"class\": \"x\"},\n{\"at\": -2, \"class\": \"y\"}]}"))
                .hasSize(4);
    }

    @Test
    void aSeedIsKeptToItsLastDigit() throws Exception {
        assertThat(read(HEAD.replace("\"seed\": null", "\"seed\": 9007199254740993") + "]}")
                        .seed())
                .isEqualTo(9_007_199_254_740_993L);
        assertThat(faults(HEAD.replace("\"seed\": null", "\"seed\": 1.5") + "]}"))
                .anySatisfy(fault -> assertThat(fault).startsWith("line 6").contains("whole"));
    }

    @Test
    void wavesAreFinite() {
        assertThat(faults(HEAD.replace("\"rule\": null", "\"rule\": null, \"waves\": [0, Infinity]") + "]}"))
                .anySatisfy(fault -> assertThat(fault).contains("finite"));
    }

    @Test
    void aCutOffFileIsRefused() {
        assertThatThrownBy(() -> read("{\"schedule\": 1,\n \"name\""))
                .isInstanceOf(InvalidScheduleException.class)
                .hasMessageContaining("line 2");
        assertThatThrownBy(() -> read("")).isInstanceOf(InvalidScheduleException.class);
    }

    @Test
    void whatIsWrittenIsReadAgain() throws Exception {
        String text = HEAD.replace(
                        "{\"default\": {\"turns\": 3}}",
                        "{\"hard\": {\"turns\": [{\"do\": \"interrupt\", \"after\": 0.4}, {\"do\": \"correct\","
                                + " \"utterance\": 2}, {\"keys\": \"12#\"}], \"ending\": \"mid-turn\","
                                + " \"direction\": \"outbound\", \"utterance\": 1.5, \"answer\": 2.5, \"pause\": 0.2,"
                                + " \"cpu\": 0.05, \"deadline\": 30, \"tools\": [\"calendar\"], \"language\": \"de-DE\","
                                + " \"tenant\": \"globex\", \"synthetic\": {\"service\": 0.2, \"result\": \"reject\"}}}")
                + "{\"at\": 1.123456, \"class\": \"hard\"}]}";
        Schedule schedule = read(text);

        Schedule again = read(ScheduleWriter.write(schedule));

        assertThat(again).isEqualTo(schedule);
        CallClass hard = Objects.requireNonNull(again.classes().get("hard"));
        assertThat(hard.turns())
                .extracting(Turn::manner)
                .containsExactly(Turn.Manner.INTERRUPT, Turn.Manner.CORRECT, Turn.Manner.SPEAK);
        assertThat(hard.synthetic().result()).isEqualTo(SyntheticScript.Result.REJECT);
    }

    @Test
    void theJsonSchemaAndTheReaderKnowTheSameKeys() throws Exception {
        JsonNode schema;
        try (var in = Objects.requireNonNull(
                ScheduleReader.class.getResourceAsStream("/dev/spillway/load/schedule.schema.json"))) {
            schema = new ObjectMapper().readTree(in);
        }
        for (Map.Entry<String, JsonNode> key : schema.path("properties").properties()) {
            assertThat(accepts("{\"" + key.getKey() + "\": null}", key.getKey()))
                    .as(key.getKey())
                    .isTrue();
        }
        for (Map.Entry<String, JsonNode> key :
                schema.at("/$defs/class/properties").properties()) {
            assertThat(accepts("{\"classes\": {\"a\": {\"" + key.getKey() + "\": null}}}", key.getKey()))
                    .as(key.getKey())
                    .isTrue();
        }
        for (Map.Entry<String, JsonNode> key :
                schema.at("/$defs/turn/properties").properties()) {
            assertThat(accepts("{\"classes\": {\"a\": {\"turns\": [{\"" + key.getKey() + "\": null}]}}}", key.getKey()))
                    .as(key.getKey())
                    .isTrue();
        }
        for (Map.Entry<String, JsonNode> key :
                schema.at("/$defs/arrival/properties").properties()) {
            assertThat(accepts("{\"arrivals\": [{\"" + key.getKey() + "\": null}]}", key.getKey()))
                    .as(key.getKey())
                    .isTrue();
        }
        assertThat(accepts("{\"arrivals\": [{\"colour\": null}]}", "colour")).isFalse();
    }

    private static boolean accepts(String text, String key) {
        return faults(text).stream().noneMatch(fault -> fault.contains("no key '" + key + "'"));
    }
}
