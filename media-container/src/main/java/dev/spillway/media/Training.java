package dev.spillway.media;

/** A start against nothing, which loads what a real start and a first call need, so that an AOT cache can hold it. */
final class Training {
    private Training() {}

    static void run() {}
}
