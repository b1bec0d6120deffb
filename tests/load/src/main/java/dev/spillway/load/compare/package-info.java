/** Two runs beside each other, and the ledgers of several hosts as one. */
@NullMarked
package dev.spillway.load.compare;

import org.jspecify.annotations.NullMarked;
