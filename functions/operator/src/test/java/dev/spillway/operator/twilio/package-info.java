@NullMarked
package dev.spillway.operator.twilio;

import org.jspecify.annotations.NullMarked;
