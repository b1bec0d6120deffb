/** What somebody sees who watches a tenant's pool. It decides nothing and writes nothing. */
@NullMarked
package dev.spillway.core.console;

import org.jspecify.annotations.NullMarked;
