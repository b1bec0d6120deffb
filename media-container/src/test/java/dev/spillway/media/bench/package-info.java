/** Loads that are run by hand: what a container costs beside the least that the same frames can cost. */
@NullMarked
package dev.spillway.media.bench;

import org.jspecify.annotations.NullMarked;
