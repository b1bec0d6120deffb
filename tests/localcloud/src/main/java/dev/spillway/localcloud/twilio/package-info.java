/** Twilio on loopback: places calls, runs their TwiML, streams their audio, and answers the REST API. */
@NullMarked
package dev.spillway.localcloud.twilio;

import org.jspecify.annotations.NullMarked;
