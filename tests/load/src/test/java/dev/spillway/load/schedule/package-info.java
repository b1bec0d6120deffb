@NullMarked
package dev.spillway.load.schedule;

import org.jspecify.annotations.NullMarked;
