@NullMarked
package dev.spillway.core.usage;

import org.jspecify.annotations.NullMarked;
