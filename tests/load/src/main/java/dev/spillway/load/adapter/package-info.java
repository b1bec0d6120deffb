/** What an arrival does once it has started: in process, over HTTP, or as a phone call. */
@NullMarked
package dev.spillway.load.adapter;

import org.jspecify.annotations.NullMarked;
