/** What the task's own host tells and grants: identity and scale-in protection. */
@NullMarked
package dev.spillway.media.host;

import org.jspecify.annotations.NullMarked;
