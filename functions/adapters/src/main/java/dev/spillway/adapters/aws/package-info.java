/** The AWS clients, built once for a process and passed in. */
@NullMarked
package dev.spillway.adapters.aws;

import org.jspecify.annotations.NullMarked;
