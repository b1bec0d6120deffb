@NullMarked
package dev.spillway.core.pool;

import org.jspecify.annotations.NullMarked;
