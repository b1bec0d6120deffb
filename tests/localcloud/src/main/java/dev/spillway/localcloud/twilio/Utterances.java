package dev.spillway.localcloud.twilio;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/** Follows what the agents of one call say. Confined to the audio thread, but for what it puts into the history. */
final class Utterances {
    private static final class Draft {
        private final int number;
        private final String tenant;
        private final String kind;
        private final String streamSid;
        private final CRC32 crc = new CRC32();
        private int bytes;
        private @Nullable String endMark;
        private boolean whole;
        private boolean taken;
        private boolean left;

        Draft(int number, String tenant, String kind, String streamSid) {
            this.number = number;
            this.tenant = tenant;
            this.kind = kind;
            this.streamSid = streamSid;
        }

        Utterance now() {
            return new Utterance(
                    tenant,
                    kind,
                    streamSid,
                    bytes / Mulaw.FRAME_BYTES,
                    HexFormat.of().toHexDigits((int) crc.getValue()),
                    whole,
                    taken,
                    left);
        }
    }

    private final CallHistory history;
    /** Of the stream that is up, and not yet heard to their end. */
    private final List<Draft> unheard = new ArrayList<>();

    private int count;
    private @Nullable Draft coming;

    Utterances(CallHistory history) {
        this.history = history;
    }

    void announced(String streamSid, String tenant, String kind) {
        Draft draft = new Draft(count++, tenant, kind, streamSid);
        coming = draft;
        unheard.add(draft);
        note(draft);
    }

    void audio(byte[] audio) {
        Draft draft = coming;
        if (draft != null) {
            draft.crc.update(audio);
            draft.bytes += audio.length;
        }
    }

    /** A mark that announces nothing came: it is behind what came before. */
    void marked(String name) {
        Draft draft = coming;
        if (draft != null) {
            draft.endMark = name;
            coming = null;
            note(draft);
        }
    }

    /** Everything before that mark was played. */
    void played(String name) {
        unheard.removeIf(draft -> {
            boolean heard = name.equals(draft.endMark);
            if (heard) {
                draft.whole = true;
                note(draft);
            }
            return heard;
        });
    }

    void cleared() {
        for (Draft draft : unheard) {
            draft.taken = true;
            note(draft);
        }
        unheard.clear();
        coming = null;
    }

    /**
     * The stream is over: nobody hears the rest.
     *
     * @param left whether that is so because the caller hung up
     */
    void ended(boolean left) {
        for (Draft draft : unheard) {
            draft.left = left;
            note(draft);
        }
        unheard.clear();
        coming = null;
    }

    private void note(Draft draft) {
        history.utterance(draft.number, draft.now());
    }
}
