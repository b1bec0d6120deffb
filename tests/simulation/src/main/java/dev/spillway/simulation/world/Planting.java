package dev.spillway.simulation.world;

import dev.spillway.core.pool.Pool;
import dev.spillway.core.pool.PoolView;
import dev.spillway.core.pool.Pools;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Objects;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Plants a fault between a flow and one of its ports. */
final class Planting {
    private Planting() {}

    interface Go {
        @Nullable
        Object run() throws ReflectiveOperationException;
    }

    interface Around {
        @Nullable
        Object call(Method method, Object[] arguments, Go go) throws ReflectiveOperationException;
    }

    static Method method(Class<?> type, String name) throws NoSuchMethodException {
        for (Method method : type.getMethods()) {
            if (method.getName().equals(name)) {
                return method;
            }
        }
        throw new NoSuchMethodException(name);
    }

    /** Under a lease it is the same as without one. */
    static <T> T unfenced(Class<T> type, T real) {
        InvocationHandler handler = (proxy, method, arguments) -> {
            try {
                return method.getName().equals("under") ? proxy : method.invoke(real, arguments);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        };
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    static <T> T around(Class<T> type, T real, Around around) {
        InvocationHandler handler = (proxy, method, given) -> {
            Object[] arguments = given == null ? new Object[0] : given.clone();
            try {
                if (method.getName().equals("under")) {
                    Object fenced = method.invoke(real, arguments);
                    return around(type, type.cast(fenced), around);
                }
                return around.call(method, arguments, () -> method.invoke(real, arguments));
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        };
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }
    /** Whoever reads a pool there sees another. */
    static Pools seeing(Pools real, UnaryOperator<Pool> other) {
        return around(Pools.class, real, (method, arguments, go) -> {
            Object result = go.run();
            return method.getName().equals("read")
                    ? ((Optional<?>) Objects.requireNonNull(result))
                            .map(view ->
                                    new PoolView(other.apply(((PoolView) view).pool()), ((PoolView) view).containers()))
                    : result;
        });
    }
}
