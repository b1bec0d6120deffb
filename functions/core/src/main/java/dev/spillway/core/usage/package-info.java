/** What a tenant has used, for bills. */
@NullMarked
package dev.spillway.core.usage;

import org.jspecify.annotations.NullMarked;
