@NullMarked
package dev.spillway.core.reconcile;

import org.jspecify.annotations.NullMarked;
