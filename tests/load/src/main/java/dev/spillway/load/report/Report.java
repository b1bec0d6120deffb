package dev.spillway.load.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.spillway.load.ledger.Bundle;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a run showed. Made of nothing but what lies on disk, and without the time of day: the same folder gives the same bytes
 * again.
 */
public final class Report {
    private final Run run;
    private final Figures figures;
    private final Map<String, @Nullable Double> measures;
    private final Verdict verdict;
    private final Windows windows;
    private final Boundary boundary;

    private Report(Run run) {
        this.run = run;
        this.figures = new Figures(run.schedule().arrivals().size(), run.rows());
        this.measures = Measures.of(run, figures);
        this.verdict = Verdict.of(run, measures);
        this.windows = new Windows(figures, run.seconds(figures));
        this.boundary = Boundary.first(run, figures, windows);
    }

    /** @throws IOException if the folder is none of a run, or has rows that its schedule does not explain */
    public static Report of(Bundle bundle) throws IOException {
        try {
            return new Report(Run.read(bundle));
        } catch (IllegalArgumentException e) {
            throw new IOException(bundle.folder() + ": " + e.getMessage(), e);
        }
    }

    /** Writes ledger.jsonl, report.json, report.html, summary.txt and junit.xml into the folder. */
    public void write(Bundle bundle) throws IOException {
        bundle.writeLedger(figures.rows());
        Files.writeString(bundle.folder().resolve("report.json"), json());
        Files.writeString(bundle.folder().resolve("report.html"), HtmlPage.of(this));
        Files.writeString(bundle.folder().resolve("summary.txt"), Summary.of(this));
        Files.writeString(bundle.folder().resolve("junit.xml"), JUnitXml.of(this));
    }

    /** The content of report.json. */
    public String json() {
        DefaultPrettyPrinter printer = new DefaultPrettyPrinter()
                .withObjectIndenter(new DefaultIndenter("  ", "\n"))
                .withArrayIndenter(new DefaultIndenter("  ", "\n"));
        try {
            return new ObjectMapper().writer(printer).writeValueAsString(new ReportJson(this).node()) + "\n";
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a tree can be written", e);
        }
    }

    /** What the terminal is told. */
    public String summary() {
        return Summary.of(this);
    }

    public Run run() {
        return run;
    }

    public Figures figures() {
        return figures;
    }

    public Map<String, @Nullable Double> measures() {
        return measures;
    }

    public Verdict verdict() {
        return verdict;
    }

    public Boundary boundary() {
        return boundary;
    }

    Windows windows() {
        return windows;
    }

    List<Run.Look> looks() {
        return run.looks();
    }
}
