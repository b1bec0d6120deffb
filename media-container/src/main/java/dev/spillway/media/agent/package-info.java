/** Who talks in a call: the port of agents, and the scripted one. */
@NullMarked
package dev.spillway.media.agent;

import org.jspecify.annotations.NullMarked;
