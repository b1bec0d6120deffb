@NullMarked
package dev.spillway.lambda.log;

import org.jspecify.annotations.NullMarked;
