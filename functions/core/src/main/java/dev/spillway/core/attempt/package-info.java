/** What is told of attempts: their steps, why they had to wait or were refused, and the list of them with its summary. */
@NullMarked
package dev.spillway.core.attempt;

import org.jspecify.annotations.NullMarked;
