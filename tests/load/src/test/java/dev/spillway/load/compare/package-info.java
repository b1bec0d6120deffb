/** Two runs beside each other, and several as one. */
@NullMarked
package dev.spillway.load.compare;

import org.jspecify.annotations.NullMarked;
