@NullMarked
package dev.spillway.operator.cost;

import org.jspecify.annotations.NullMarked;
