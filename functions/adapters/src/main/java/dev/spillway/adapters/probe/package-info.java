/** Asking a container through its pool's load balancer whether it lives. */
@NullMarked
package dev.spillway.adapters.probe;

import org.jspecify.annotations.NullMarked;
