/** What a run showed, rebuilt from what it left on disk. */
@NullMarked
package dev.spillway.load.report;

import org.jspecify.annotations.NullMarked;
