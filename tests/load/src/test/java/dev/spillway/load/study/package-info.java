@NullMarked
package dev.spillway.load.study;

import org.jspecify.annotations.NullMarked;
