/** What operators order: a pool paused, pinned, drained or passed over, calls out stopped; for a while, and for a reason. */
@NullMarked
package dev.spillway.core.order;

import org.jspecify.annotations.NullMarked;
