/** Experiments made of several runs: sustain, calibrate, bench. */
@NullMarked
package dev.spillway.load.study;

import org.jspecify.annotations.NullMarked;
