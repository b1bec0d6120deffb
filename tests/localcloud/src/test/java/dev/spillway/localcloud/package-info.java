@NullMarked
package dev.spillway.localcloud;

import org.jspecify.annotations.NullMarked;
