/** What every table behind the ports has to keep: one suite per port, run against each of them. */
@NullMarked
package dev.spillway.core.contract;

import org.jspecify.annotations.NullMarked;
