@NullMarked
package dev.spillway.core.call;

import org.jspecify.annotations.NullMarked;
