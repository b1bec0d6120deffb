/** A container's life: start, heartbeat, drain, stop. */
@NullMarked
package dev.spillway.media.life;

import org.jspecify.annotations.NullMarked;
