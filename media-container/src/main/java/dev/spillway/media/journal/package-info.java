/** The log: one JSON line per decision. */
@NullMarked
package dev.spillway.media.journal;

import org.jspecify.annotations.NullMarked;
