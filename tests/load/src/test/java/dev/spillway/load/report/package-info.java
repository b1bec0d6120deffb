@NullMarked
package dev.spillway.load.report;

import org.jspecify.annotations.NullMarked;
