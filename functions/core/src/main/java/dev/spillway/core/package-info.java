@NullMarked
package dev.spillway.core;

import org.jspecify.annotations.NullMarked;
