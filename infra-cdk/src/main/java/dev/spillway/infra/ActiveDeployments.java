package dev.spillway.infra;

/** How many deployments of a service may be active at once. */
final class ActiveDeployments {
    /** ECS refuses more than a few while their protected tasks run on; four is a guess on the safe side. */
    static final int MOST = 4;

    private ActiveDeployments() {}
}
