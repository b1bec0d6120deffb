/** The same flows that run in the functions and in the container, on virtual time. */
@NullMarked
package dev.spillway.simulation;

import org.jspecify.annotations.NullMarked;
