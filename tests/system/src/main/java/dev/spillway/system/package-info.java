@NullMarked
package dev.spillway.system;

import org.jspecify.annotations.NullMarked;
