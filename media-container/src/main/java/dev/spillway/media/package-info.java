@NullMarked
package dev.spillway.media;

import org.jspecify.annotations.NullMarked;
