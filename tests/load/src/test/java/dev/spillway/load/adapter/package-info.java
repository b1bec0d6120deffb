/** Adapters against systems of a few lines. */
@NullMarked
package dev.spillway.load.adapter;

import org.jspecify.annotations.NullMarked;
