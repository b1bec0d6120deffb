/** What a deployment costs in a month, from one file of prices. */
@NullMarked
package dev.spillway.operator.cost;

import org.jspecify.annotations.NullMarked;
