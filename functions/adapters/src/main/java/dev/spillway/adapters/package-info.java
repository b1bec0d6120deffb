@NullMarked
package dev.spillway.adapters;

import org.jspecify.annotations.NullMarked;
