@NullMarked
package dev.spillway.operator.measure;

import org.jspecify.annotations.NullMarked;
