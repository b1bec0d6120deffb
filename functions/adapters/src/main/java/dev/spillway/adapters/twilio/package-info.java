/** Twilio: signatures of its webhooks, the TwiML that it is answered, and calls moved by its REST API. */
@NullMarked
package dev.spillway.adapters.twilio;

import org.jspecify.annotations.NullMarked;
