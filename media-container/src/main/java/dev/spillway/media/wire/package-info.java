/** HTTP and WebSocket: the server, Twilio's media stream messages, and the relay. */
@NullMarked
package dev.spillway.media.wire;

import org.jspecify.annotations.NullMarked;
