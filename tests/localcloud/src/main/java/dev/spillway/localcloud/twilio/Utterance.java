package dev.spillway.localcloud.twilio;

/**
 * Something that an agent said, of those that announce it by a mark {@code persona:{tenant}:{kind}} before it and put any other
 * mark behind it.
 *
 * @param streamSid on which it came
 * @param frames of audio that came, of 20 ms each
 * @param words a short name of the audio: the same for the same words in the same voice
 * @param whole whether the caller heard it to its end
 * @param taken whether the agent took it back, since the caller had interrupted
 * @param left whether the caller hung up before its end
 */
public record Utterance(
        String tenant,
        String kind,
        String streamSid,
        int frames,
        String words,
        boolean whole,
        boolean taken,
        boolean left) {
    /** Whether something other than the caller ended it too early. */
    public boolean cut() {
        return !whole && !taken && !left;
    }
}
