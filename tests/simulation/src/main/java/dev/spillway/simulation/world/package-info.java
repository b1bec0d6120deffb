/** A world with faults: every choice in it comes from one seed. */
@NullMarked
package dev.spillway.simulation.world;

import org.jspecify.annotations.NullMarked;
