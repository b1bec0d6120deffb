/**
 * The table, ECS and the event bus in memory, for tests: the conditions of the ports, a log of what was asked, and
 * failures on demand.
 */
@NullMarked
package dev.spillway.core.memory;

import org.jspecify.annotations.NullMarked;
