package dev.spillway.core.call;

/** Makes generations; random in production, seeded in a simulation. */
@FunctionalInterface
public interface Generations {
    Generation next(int hop);
}
