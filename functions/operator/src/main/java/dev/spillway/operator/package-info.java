/** The commands of those who run a deployment: what it costs, whether all is as it should be, what Twilio is told. */
@NullMarked
package dev.spillway.operator;

import org.jspecify.annotations.NullMarked;
