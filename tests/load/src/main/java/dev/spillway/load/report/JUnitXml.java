package dev.spillway.load.report;

import java.util.List;
import java.util.stream.Stream;

/** The verdict as test results, one for each rule, for a CI that shows those. */
final class JUnitXml {
    private JUnitXml() {}

    static String of(Report report) {
        Verdict verdict = report.verdict();
        long failures = Stream.concat(verdict.validity().stream(), verdict.service().stream())
                .filter(finding -> !finding.met())
                .count();
        int tests = verdict.validity().size() + verdict.service().size();
        StringBuilder xml = new StringBuilder("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
        xml.append("<testsuite name=\"load ")
                .append(escaped(report.run().schedule().name()))
                .append("\" tests=\"")
                .append(tests)
                .append("\" failures=\"")
                .append(failures)
                .append("\">\n");
        cases(xml, "validity", verdict.validity());
        cases(xml, "service", verdict.service());
        return xml.append("</testsuite>\n").toString();
    }

    private static void cases(StringBuilder xml, String kind, List<Verdict.Finding> findings) {
        for (Verdict.Finding finding : findings) {
            xml.append("  <testcase classname=\"").append(kind).append("\" name=\"");
            xml.append(escaped(finding.rule().measure() + " " + finding.rule().bound()));
            if (finding.met()) {
                xml.append("\"/>\n");
            } else {
                xml.append("\">\n    <failure message=\"is ")
                        .append(escaped(Numbers.plain(finding.actual())))
                        .append("\">")
                        .append(escaped(
                                finding.rule().owner() + ": " + finding.rule().rationale()))
                        .append("</failure>\n  </testcase>\n");
            }
        }
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}
