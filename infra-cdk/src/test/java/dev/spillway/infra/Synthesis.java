package dev.spillway.infra;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import software.amazon.awscdk.App;
import software.amazon.awscdk.AppProps;
import software.amazon.awscdk.Stack;
import software.amazon.awscdk.assertions.Annotations;
import software.amazon.awscdk.assertions.Match;
import software.amazon.awscdk.assertions.Template;
import software.amazon.awscdk.cxapi.CloudAssembly;

/** A synthesised deployment, without credentials and without Docker. Synthesis takes seconds, so tests share one. */
final class Synthesis {
    static final Path HOME = Path.of("..").toAbsolutePath().normalize();
    static final String IMAGE = "123456789012.dkr.ecr.us-east-1.amazonaws.com/spillway:1";

    static final String DEPLOYMENT = """
            {"name": "spillway", "region": "us-east-1", "domain": "voice.example.com", "image": "%s",
             "alarmEmail": "on-call@example.com", "runbookUrl": "https://docs.example.com/RUNBOOK.md",
             "existing": {"zone": {"id": "Z0123456789EXAMPLE", "name": "example.com"}}}
            """.formatted(IMAGE);

    private static final JsonMapper JSON = new JsonMapper();
    private static final Map<String, Synthesis> MADE = new HashMap<>();

    private final SpillwayApp app;
    private final CloudAssembly assembly;
    private final Map<String, Template> templates = new HashMap<>();

    private Synthesis(Deployment deployment, TenantsFile tenants) {
        this.app = new SpillwayApp(
                new App(AppProps.builder().outdir(directory("cdk").toString()).build()),
                deployment,
                tenants,
                new Artifacts(jar(), HOME.resolve("media-container")));
        this.assembly = app.app().synth();
    }

    /** The two tenants of the committed file, into infrastructure of its own. */
    static synchronized Synthesis usual() {
        return MADE.computeIfAbsent("usual", name -> new Synthesis(deployment(), tenants("acme", "globex")));
    }

    /** The same with one more tenant, which brings its own bot. */
    static synchronized Synthesis oneMore() {
        return MADE.computeIfAbsent(
                "one more", name -> new Synthesis(deployment(), tenants("acme", "globex", "initech")));
    }

    static synchronized Synthesis of(String name, Deployment deployment, TenantsFile tenants) {
        return MADE.computeIfAbsent(name, key -> new Synthesis(deployment, tenants));
    }

    static Deployment deployment() {
        return JsonFile.parse("deployment.json", DEPLOYMENT, Deployment.class);
    }

    /** The first is on demand, all others are for production. */
    static TenantsFile tenants(String... ids) {
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < ids.length; i++) {
            String line = tenant(ids[i], i, i == 0 ? "on-demand" : "production");
            lines.add(ids[i].equals("initech") ? withBot(line) : line);
        }
        return JsonFile.parse("tenants.json", "{\"tenants\": [" + String.join(",\n", lines) + "]}", TenantsFile.class);
    }

    static String tenant(String id, int number, String mode) {
        return """
                {"id": "%s", "mode": "%s", "numbers": ["+1500555%04d"], "accountSid": "AC%032x",
                 "persona": {"agent": "scripted", "voice": "alto", "greeting": "Hello, %s.", "resume": "Go on.", "farewell": "Bye."}}""".formatted(id, mode, number, number, id);
    }

    static String withBot(String tenant) {
        return tenant.replace("scripted", "upstream").replaceFirst("\\{", """
                {"botContainer": {"image": "123456789012.dkr.ecr.us-east-1.amazonaws.com/bot:3", "memory": 1024,
                 "state": "http://127.0.0.1:8765/calls", "environment": {"LANGUAGE": "en"}},""");
    }

    private static Path jar() {
        try {
            Path jar = directory("jar").resolve("spillway-functions.jar");
            return Files.writeString(jar, "stands in for the functions");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path directory(String name) {
        try {
            return Files.createTempDirectory(Files.createDirectories(Path.of("target")), name);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Stack stack(String name) {
        return app.stacks().stream()
                .filter(stack -> stack.getStackName().equals(name))
                .findFirst()
                .orElseThrow();
    }

    Template shared() {
        return template("spillway");
    }

    Template acme() {
        return template("spillway-acme");
    }

    Template globex() {
        return template("spillway-globex");
    }

    Template template(String stack) {
        return templates.computeIfAbsent(stack, name -> Template.fromStack(stack(name)));
    }

    /** What was written for CloudFormation. */
    JsonNode written(String stack) {
        try {
            return JSON.readTree(Path.of(assembly.getStackByName(stack).getTemplateFullPath())
                    .toFile());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The resources of one type, with their logical ids. */
    Map<String, JsonNode> resources(String stack, String type) {
        Map<String, JsonNode> found = new java.util.TreeMap<>();
        for (Map.Entry<String, JsonNode> resource :
                written(stack).path("Resources").properties()) {
            if (resource.getValue().path("Type").asText().equals(type)) {
                found.put(resource.getKey(), resource.getValue().path("Properties"));
            }
        }
        return found;
    }

    JsonNode only(String stack, String type) {
        Map<String, JsonNode> found = resources(stack, type);
        if (found.size() != 1) {
            throw new AssertionError(stack + " has " + found.size() + " of " + type + ": " + found.keySet());
        }
        return found.values().iterator().next();
    }

    @SuppressWarnings("deprecation") // what the assertions themselves return
    List<String> findings(String stack) {
        return Stream.of("Error", "Warning")
                .flatMap(level -> {
                    Annotations annotations = Annotations.fromStack(stack(stack));
                    return (level.equals("Error")
                                    ? annotations.findError("*", Match.anyValue())
                                    : annotations.findWarning("*", Match.anyValue()))
                            .stream();
                })
                .map(found -> found.getId() + ": " + found.getEntry().getData())
                .toList();
    }

    /** What CloudFormation makes of it, with a reference as its name in braces. */
    static String text(JsonNode value) {
        if (value.isTextual()) {
            return value.asText();
        }
        if (value.has("Fn::Join")) {
            return stream(value.at("/Fn::Join/1"))
                    .map(Synthesis::text)
                    .collect(Collectors.joining(value.at("/Fn::Join/0").asText()));
        }
        return "{" + value.path("Ref").asText(value.toString()) + "}";
    }

    /** CloudFormation takes one text for a list of one. */
    static List<String> texts(JsonNode node) {
        return node.isTextual()
                ? List.of(node.asText())
                : stream(node).map(JsonNode::asText).toList();
    }

    static Stream<JsonNode> stream(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false);
    }
}
