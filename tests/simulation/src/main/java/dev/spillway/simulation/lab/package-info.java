/** What a policy costs, and whom it keeps waiting. */
@NullMarked
package dev.spillway.simulation.lab;

import org.jspecify.annotations.NullMarked;
