@NullMarked
package dev.spillway.operator.doctor;

import org.jspecify.annotations.NullMarked;
