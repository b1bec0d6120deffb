@NullMarked
package dev.spillway.localcloud.twilio;

import org.jspecify.annotations.NullMarked;
