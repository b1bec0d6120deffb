@NullMarked
package dev.spillway.core.journal;

import org.jspecify.annotations.NullMarked;
