@NullMarked
package dev.spillway.core.handoff;

import org.jspecify.annotations.NullMarked;
