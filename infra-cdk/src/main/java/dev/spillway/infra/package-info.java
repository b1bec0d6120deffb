/** The AWS infrastructure as a CDK app: one construct per noun, one stack for what is shared and one for each tenant. */
@NullMarked
package dev.spillway.infra;

import org.jspecify.annotations.NullMarked;
