/** The journal as lines of a log, without phone numbers. */
@NullMarked
package dev.spillway.adapters.journal;

import org.jspecify.annotations.NullMarked;
