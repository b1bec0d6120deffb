/** Copies of values that change rarely and are asked for with every call. */
@NullMarked
package dev.spillway.adapters.copies;

import org.jspecify.annotations.NullMarked;
