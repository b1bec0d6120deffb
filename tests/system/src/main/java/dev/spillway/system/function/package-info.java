/** The functions as they are deployed: run from their one jar, checked against what they declare, and timed. */
@NullMarked
package dev.spillway.system.function;

import org.jspecify.annotations.NullMarked;
