package dev.spillway.media;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A value built when it is first asked for, once; a failure is not kept. */
final class Lazily<T> implements Supplier<T> {
    private final Supplier<T> source;
    private volatile @Nullable T value;

    private Lazily(Supplier<T> source) {
        this.source = source;
    }

    static <T> Supplier<T> built(Supplier<T> source) {
        return new Lazily<>(source);
    }

    @Override
    public T get() {
        T made = value;
        if (made == null) {
            synchronized (this) {
                made = value;
                if (made == null) {
                    made = source.get();
                    value = made;
                }
            }
        }
        return made;
    }
}
