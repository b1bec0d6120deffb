/** Whether table, ECS, load balancer, Twilio and quotas are what the tenants need. */
@NullMarked
package dev.spillway.operator.doctor;

import org.jspecify.annotations.NullMarked;
