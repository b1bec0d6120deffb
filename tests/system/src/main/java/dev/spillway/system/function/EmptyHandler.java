package dev.spillway.system.function;

import com.amazonaws.services.lambda.runtime.Context;
import com.amazonaws.services.lambda.runtime.RequestHandler;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A function that does nothing: what is left of a start is the runtime's own. */
public final class EmptyHandler implements RequestHandler<Map<String, Object>, String> {
    @Override
    public String handleRequest(Map<String, Object> event, @Nullable Context context) {
        return "nothing";
    }
}
