/** Announcements on EventBridge. */
@NullMarked
package dev.spillway.adapters.eventbridge;

import org.jspecify.annotations.NullMarked;
