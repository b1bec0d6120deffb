@NullMarked
package dev.spillway.simulation.world;

import org.jspecify.annotations.NullMarked;
