/** Load tests with open arrivals and a ledger of outcomes: the commands behind {@code ./spillway load}. */
@NullMarked
package dev.spillway.load;

import org.jspecify.annotations.NullMarked;
