/** What Twilio is told about the numbers of tenants. */
@NullMarked
package dev.spillway.operator.twilio;

import org.jspecify.annotations.NullMarked;
