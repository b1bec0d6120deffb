package dev.spillway.media.admission;

import java.util.function.LongSupplier;

/**
 * How little memory may be left before new calls are refused.
 *
 * @param headroomBytes what is left for further calls; asked under the lock of {@link Admission}, so it must not block
 * @param floorBytes below this, new calls are refused; 0 never refuses
 */
public record MemoryFloor(LongSupplier headroomBytes, long floorBytes) {
    private static final long MEGABYTE = 1 << 20;

    /** Refuses nothing. */
    public static final MemoryFloor NONE = new MemoryFloor(() -> Long.MAX_VALUE, 0);

    public MemoryFloor {
        if (floorBytes < 0) {
            throw new IllegalArgumentException("want a floor of at least 0 bytes, not " + floorBytes);
        }
    }

    public boolean isReached() {
        return headroomBytes.getAsLong() < floorBytes;
    }

    /** In words, for the log and for whoever asks after the container's health. */
    String reason() {
        return "short of memory: " + headroomBytes.getAsLong() / MEGABYTE + " MB left, and new calls need "
                + floorBytes / MEGABYTE + " MB";
    }
}
