package dev.spillway.operator.cost;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;

/**
 * What AWS asks, in US dollars.
 *
 * @param asOf when the prices were looked up
 * @param source where
 */
public record Prices(String asOf, String region, String source, Usd usd) {
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();

    /** One field for each thing that is paid for; the name says per what. */
    public record Usd(
            double fargateArmVcpuHour,
            double fargateArmGbHour,
            double publicIpv4Hour,
            double loadBalancerHour,
            double loadBalancerLcuHour,
            double lambdaArmGbSecond,
            double lambdaMillionRequests,
            double httpApiMillionRequests,
            double dynamoMillionWrites,
            double dynamoMillionReads,
            double eventsMillion,
            double schedulerMillion,
            double schedulerFreeMillions,
            double secretMonth,
            double kmsKeyMonth,
            double alarmMonth,
            double dashboardMonth,
            double customMetricMonth,
            double logsGb,
            double natHour,
            double interfaceEndpointHour) {}

    public Prices {
        LocalDate.parse(asOf);
        if (source.isBlank()) {
            throw new IllegalArgumentException("prices need a source");
        }
    }

    /** The prices that come with this version. */
    public static Prices bundled() {
        try (InputStream file = Prices.class.getResourceAsStream("prices.json")) {
            return JSON.readValue(file, Prices.class);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** @throws IllegalArgumentException if the file is not as the bundled one */
    public static Prices read(Path file) {
        try {
            return JSON.readValue(Files.readAllBytes(file), Prices.class);
        } catch (IOException e) {
            throw new IllegalArgumentException(file + " is no file of prices: " + e.getMessage(), e);
        }
    }

    /** One container of one vCPU and 2 GB for an hour, without its address. */
    double containerHour() {
        return usd.fargateArmVcpuHour() + 2 * usd.fargateArmGbHour();
    }
}
