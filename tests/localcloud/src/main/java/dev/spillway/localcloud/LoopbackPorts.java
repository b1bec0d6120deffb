package dev.spillway.localcloud;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Hands out loopback ports for servers that listen only later. They lie below the range that the kernel takes client
 * ports from (32768 upwards by default), so that no outgoing connection can sit on one meanwhile.
 */
final class LoopbackPorts {
    private static final int LOWEST = 20_000;
    private static final int HIGHEST = 32_000;

    private final Set<Integer> taken = new HashSet<>();

    synchronized int take() {
        for (int tries = 0; tries < HIGHEST - LOWEST; tries++) {
            int port = ThreadLocalRandom.current().nextInt(LOWEST, HIGHEST);
            if (!taken.contains(port) && free(port)) {
                taken.add(port);
                return port;
            }
        }
        throw new IllegalStateException("no free loopback port between " + LOWEST + " and " + HIGHEST);
    }

    synchronized void giveBack(int port) {
        taken.remove(port);
    }

    private static boolean free(int port) {
        try (ServerSocket probe = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return probe.isBound();
        } catch (IOException e) {
            return false;
        }
    }
}
