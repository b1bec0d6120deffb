@NullMarked
package dev.spillway.core.console;

import org.jspecify.annotations.NullMarked;
