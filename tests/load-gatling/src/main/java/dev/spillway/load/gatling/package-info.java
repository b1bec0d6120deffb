/** The same open injection as the load tool's benchmark, by Gatling. */
@NullMarked
package dev.spillway.load.gatling;

import org.jspecify.annotations.NullMarked;
