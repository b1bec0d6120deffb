package dev.spillway.localcloud.twilio;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** The audio queued for the caller, and the marks between it. Not thread-safe. */
final class Playout {
    private sealed interface Item {}

    private record Audio(byte[] bytes) implements Item {}

    private record Mark(String name) implements Item {}

    /**
     * What 20 ms of playing yielded.
     *
     * @param audible whether the caller heard something
     * @param marks those passed, in order
     */
    record Played(boolean audible, List<String> marks) {
        static final Played NOTHING = new Played(false, List.of());
    }

    private final Deque<Item> items = new ArrayDeque<>();
    private int position;

    void audio(byte[] bytes) {
        if (bytes.length > 0) {
            items.addLast(new Audio(bytes));
        }
    }

    void mark(String name) {
        items.addLast(new Mark(name));
    }

    /** Drops the audio; the marks that were waiting come back. */
    List<String> clear() {
        List<String> marks = new ArrayList<>();
        for (Item item : items) {
            if (item instanceof Mark mark) {
                marks.add(mark.name());
            }
        }
        items.clear();
        position = 0;
        return marks;
    }

    /** Plays the next 20 ms. */
    Played next() {
        if (items.isEmpty()) {
            return Played.NOTHING;
        }
        List<String> marks = new ArrayList<>();
        boolean audible = false;
        int left = Mulaw.FRAME_BYTES;
        while (!items.isEmpty()) {
            switch (items.peekFirst()) {
                case Mark(String name) -> {
                    marks.add(name);
                    items.removeFirst();
                }
                case Audio(byte[] bytes) -> {
                    if (left == 0) {
                        return new Played(audible, marks);
                    }
                    int end = Math.min(bytes.length, position + left);
                    audible |= Mulaw.audible(bytes, position, end);
                    left -= end - position;
                    position = end;
                    if (position == bytes.length) {
                        items.removeFirst();
                        position = 0;
                    }
                }
            }
        }
        return new Played(audible, marks);
    }
}
