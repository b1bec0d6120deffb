/** Calls that are made: jobs, their admission, the dialer and what becomes of its dials. */
@NullMarked
package dev.spillway.core.outbound;

import org.jspecify.annotations.NullMarked;
