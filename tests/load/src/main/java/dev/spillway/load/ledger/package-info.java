/** One row for each scheduled arrival, and everything else that a run leaves on disk. */
@NullMarked
package dev.spillway.load.ledger;

import org.jspecify.annotations.NullMarked;
