@NullMarked
package dev.spillway.core.stream;

import org.jspecify.annotations.NullMarked;
