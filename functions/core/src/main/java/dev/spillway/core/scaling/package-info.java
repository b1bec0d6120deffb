@NullMarked
package dev.spillway.core.scaling;

import org.jspecify.annotations.NullMarked;
