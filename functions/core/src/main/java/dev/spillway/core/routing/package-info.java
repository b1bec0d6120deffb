@NullMarked
package dev.spillway.core.routing;

import org.jspecify.annotations.NullMarked;
