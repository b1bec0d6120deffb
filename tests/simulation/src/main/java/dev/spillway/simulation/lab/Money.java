package dev.spillway.simulation.lab;

import dev.spillway.operator.cost.Prices;

/** What container time costs, by the prices that come with {@code spillway cost}. */
final class Money {
    /** A container of one vCPU and 2 GB for an hour, with its public address, in US dollars. */
    static final double CONTAINER_HOUR = containerHour(Prices.bundled().usd());

    private Money() {}

    private static double containerHour(Prices.Usd usd) {
        return usd.fargateArmVcpuHour() + 2 * usd.fargateArmGbHour() + usd.publicIpv4Hour();
    }
}
