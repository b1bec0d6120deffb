package dev.spillway.localcloud;

/** Where ECS registers the tasks of a service that stands behind a load balancer. Targets are loopback ports. */
public interface TargetRegistry {

    /** For clusters without a load balancer. */
    TargetRegistry NONE = new TargetRegistry() {
        @Override
        public void register(String targetGroup, int port) {}

        @Override
        public void deregister(String targetGroup, int port) {}

        @Override
        public boolean drained(String targetGroup, int port) {
            return true;
        }
    };

    /** Makes the target receive traffic once it is healthy; does nothing when it is registered already. */
    void register(String targetGroup, int port);

    /** No new request goes to the target; existing connections live on until the deregistration delay. */
    void deregister(String targetGroup, int port);

    /** True when a deregistered target has no connection left, or its deregistration delay is over. */
    boolean drained(String targetGroup, int port);
}
