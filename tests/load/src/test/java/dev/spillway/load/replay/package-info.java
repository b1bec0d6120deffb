@NullMarked
package dev.spillway.load.replay;

import org.jspecify.annotations.NullMarked;
