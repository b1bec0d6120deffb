/** Configuration from the environment, with every problem reported at once. */
@NullMarked
package dev.spillway.adapters.settings;

import org.jspecify.annotations.NullMarked;
