@NullMarked
package dev.spillway.core.tenant;

import org.jspecify.annotations.NullMarked;
