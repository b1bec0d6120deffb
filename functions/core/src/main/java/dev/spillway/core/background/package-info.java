@NullMarked
package dev.spillway.core.background;

import org.jspecify.annotations.NullMarked;
