package dev.spillway.operator.cost;

/**
 * What tenants do, on an average day.
 *
 * @param onDemand tenants with no container while nobody calls
 * @param production tenants with two containers at all times
 * @param callsPerDay of each tenant
 * @param minutes of each call
 * @param idleWindows how many times a day an on-demand tenant's container waits out the idle window; as often it was woken,
 *     which takes one call on the gateway each time
 * @param idleMinutes the idle window
 * @param gatewayContainers that always run
 * @param gatewayFee what a tenant is billed for a call on the gateway
 */
public record Demand(
        int onDemand,
        int production,
        double callsPerDay,
        double minutes,
        double idleWindows,
        double idleMinutes,
        int gatewayContainers,
        double gatewayFee) {
    /** The texts' idle window. */
    public static final double IDLE_MINUTES = 10;

    public Demand {
        if (onDemand < 0 || production < 0 || callsPerDay < 0 || minutes < 0 || gatewayContainers < 0) {
            throw new IllegalArgumentException("tenants, calls and minutes cannot be negative");
        }
        if (idleWindows < 0 || idleWindows > callsPerDay) {
            throw new IllegalArgumentException("there are as many idle windows as calls at most: want 0 to "
                    + callsPerDay + ", not " + idleWindows);
        }
    }

    /** Minutes that an on-demand tenant's container runs in a day: its calls, and each idle window after them. */
    public double containerMinutesPerDay() {
        return callsPerDay * minutes + idleWindows * idleMinutes;
    }

    int tenants() {
        return onDemand + production;
    }

    double callsPerMonth() {
        return tenants() * callsPerDay * Bill.DAYS;
    }

    double gatewayCallsPerMonth() {
        return onDemand * idleWindows * Bill.DAYS;
    }
}
