package dev.spillway.localcloud;

/** A typed error of the ECS API. */
final class EcsException extends RuntimeException {
    private final String type;
    private final int status;

    private EcsException(String type, int status, String message) {
        super(message);
        this.type = type;
        this.status = status;
    }

    static EcsException of(String type, String message) {
        return new EcsException(type, type.equals("ServerException") ? 500 : 400, message);
    }

    static EcsException invalid(String message) {
        return of("InvalidParameterException", message);
    }

    static EcsException noCluster() {
        return of("ClusterNotFoundException", "Cluster not found.");
    }

    static EcsException noService() {
        return of("ServiceNotFoundException", "Service not found.");
    }

    String type() {
        return type;
    }

    int status() {
        return status;
    }

    String text() {
        return String.valueOf(getMessage());
    }
}
