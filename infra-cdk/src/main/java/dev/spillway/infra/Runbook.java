package dev.spillway.infra;

/** Where the runbook is read; {@code infra-cdk/RUNBOOK.md} has a section for each kind of alarm. */
record Runbook(String deployment, String url) {
    String alarmName(String id) {
        return deployment + "-" + id;
    }

    String describe(String what, String section) {
        return what + ". What to do: " + url + "#" + section;
    }
}
