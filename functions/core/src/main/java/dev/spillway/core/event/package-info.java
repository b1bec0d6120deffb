@NullMarked
package dev.spillway.core.event;

import org.jspecify.annotations.NullMarked;
