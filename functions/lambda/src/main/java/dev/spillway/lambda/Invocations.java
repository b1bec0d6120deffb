package dev.spillway.lambda;

import com.amazonaws.services.lambda.runtime.Context;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Surrounds each invocation of a function, so that its log lines can name the function and the request. */
interface Invocations {
    /** @param context null when the function runs inside another process */
    <T> T run(@Nullable Context context, Supplier<T> work);

    /** Adds nothing. */
    final class Plain implements Invocations {
        @Override
        public <T> T run(@Nullable Context context, Supplier<T> work) {
            return work.get();
        }
    }
}
