/** Which calls this container takes: one lock, no I/O, time passed in. */
@NullMarked
package dev.spillway.media.admission;

import org.jspecify.annotations.NullMarked;
