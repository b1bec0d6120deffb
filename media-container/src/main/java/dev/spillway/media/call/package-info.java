/** Calls between the wire and the table: the webhook, the door that a stream comes through, and the seats' claims. */
@NullMarked
package dev.spillway.media.call;

import org.jspecify.annotations.NullMarked;
