/** Whether the conformance test finds what it is for. */
@NullMarked
package dev.spillway.system.conform;

import org.jspecify.annotations.NullMarked;
