/** Bots of the tenants' own: where they are, and what they say beside audio. */
@NullMarked
package dev.spillway.media.bot;

import org.jspecify.annotations.NullMarked;
