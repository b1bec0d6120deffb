/** Whether a container keeps the contract of {@code media-container/contract}, asked from outside. */
@NullMarked
package dev.spillway.system.conform;

import org.jspecify.annotations.NullMarked;
