/** The ports of the table: one table, single-item conditional writes, consistent reads. */
@NullMarked
package dev.spillway.adapters.dynamodb;

import org.jspecify.annotations.NullMarked;
