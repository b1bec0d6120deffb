@NullMarked
package dev.spillway.infra;

import org.jspecify.annotations.NullMarked;
