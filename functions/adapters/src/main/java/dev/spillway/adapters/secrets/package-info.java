/** Auth tokens and the stream key's master secret, from Secrets Manager. */
@NullMarked
package dev.spillway.adapters.secrets;

import org.jspecify.annotations.NullMarked;
