/** How fast a media container starts and how little it costs to carry audio, each beside a plain reference. */
@NullMarked
package dev.spillway.system.bench;

import org.jspecify.annotations.NullMarked;
