@NullMarked
package dev.spillway.load;

import org.jspecify.annotations.NullMarked;
