package dev.spillway.adapters;

import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A value that is made when it is first asked for, once. A failed making is tried again the next time. */
public final class Once<T> implements Supplier<T> {
    private final Supplier<T> making;
    // Not synchronized: making a client takes long, and virtual threads may wait here.
    private final Lock lock = new ReentrantLock();
    private volatile @Nullable T made;

    public Once(Supplier<T> making) {
        this.making = making;
    }

    @Override
    public T get() {
        T value = made;
        if (value != null) {
            return value;
        }
        lock.lock();
        try {
            value = made;
            if (value == null) {
                value = making.get();
                made = value;
            }
            return value;
        } finally {
            lock.unlock();
        }
    }

    /** Uses the value if it was made already; makes none. */
    public void ifMade(Consumer<T> use) {
        lock.lock();
        try {
            T value = made;
            if (value != null) {
                use.accept(value);
            }
        } finally {
            lock.unlock();
        }
    }
}
