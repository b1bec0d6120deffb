/**
 * What is behind SLF4J and Powertools' logging in the functions' jar: lines of JSON on standard error. A logging framework of
 * its own would be a quarter of a function's start.
 */
@NullMarked
package dev.spillway.lambda.log;

import org.jspecify.annotations.NullMarked;
