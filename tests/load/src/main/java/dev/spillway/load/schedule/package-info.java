/** What is to happen and when: schedules as data, their format and their generators. */
@NullMarked
package dev.spillway.load.schedule;

import org.jspecify.annotations.NullMarked;
