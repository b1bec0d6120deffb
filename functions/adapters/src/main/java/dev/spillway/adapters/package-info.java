/** The adapters of the core's ports: DynamoDB, ECS, EventBridge, Secrets Manager and Twilio. */
@NullMarked
package dev.spillway.adapters;

import org.jspecify.annotations.NullMarked;
