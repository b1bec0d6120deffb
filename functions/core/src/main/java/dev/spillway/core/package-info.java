/**
 * The domain: calls, pools, claims and planning. Nothing here knows AWS, Twilio, a clock or a random source: values and
 * {@code Instant now} go in, decisions with reasons come out, and the ports that the flows need are interfaces beside
 * the type they serve.
 */
@NullMarked
package dev.spillway.core;

import org.jspecify.annotations.NullMarked;
