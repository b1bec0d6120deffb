/** What the core expects of its ports, asked of the real adapters over the wire. */
@NullMarked
package dev.spillway.system.contract;

import org.jspecify.annotations.NullMarked;
