/** What the tests of this module stand on. */
@NullMarked
package dev.spillway.media.rig;

import org.jspecify.annotations.NullMarked;
