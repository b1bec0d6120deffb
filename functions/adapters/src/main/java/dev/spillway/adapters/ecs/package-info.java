/** The fleet on ECS: one service for each pool. */
@NullMarked
package dev.spillway.adapters.ecs;

import org.jspecify.annotations.NullMarked;
