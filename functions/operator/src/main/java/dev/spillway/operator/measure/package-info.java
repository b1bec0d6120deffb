/** How long containers take to start, measured in the account. */
@NullMarked
package dev.spillway.operator.measure;

import org.jspecify.annotations.NullMarked;
