/**
 * The functions: thin handlers that verify, parse, call one flow of the core and render, and the one place where they
 * are wired to the adapters.
 */
@NullMarked
package dev.spillway.lambda;

import org.jspecify.annotations.NullMarked;
