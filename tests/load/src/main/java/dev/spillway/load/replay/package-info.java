/** Offers a schedule's arrivals at their times, whatever becomes of them. */
@NullMarked
package dev.spillway.load.replay;

import org.jspecify.annotations.NullMarked;
