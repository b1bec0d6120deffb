package dev.spillway.localcloud;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** One health check over a connection of its own, so that a target's other connections tell nothing and suffer nothing. */
final class HealthCheck {
    private HealthCheck() {}

    /** True when the target answers 200 in time. */
    static boolean passes(InetSocketAddress target, String path, Duration timeout) {
        int millis = Math.toIntExact(Math.max(1, timeout.toMillis()));
        try (Socket socket = new Socket()) {
            socket.connect(target, millis);
            socket.setSoTimeout(millis);
            String request = "GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1:" + target.getPort()
                    + "\r\nUser-Agent: ELB-HealthChecker/2.0\r\nConnection: close\r\n\r\n";
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            var reader = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
            String statusLine = reader.readLine();
            return statusLine != null && statusLine.startsWith("HTTP/1.") && statusLine.contains(" 200");
        } catch (IOException e) {
            return false;
        }
    }
}
