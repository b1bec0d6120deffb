@NullMarked
package dev.spillway.lambda;

import org.jspecify.annotations.NullMarked;
