@NullMarked
package dev.spillway.core.outbound;

import org.jspecify.annotations.NullMarked;
