@NullMarked
package dev.spillway.system.function;

import org.jspecify.annotations.NullMarked;
