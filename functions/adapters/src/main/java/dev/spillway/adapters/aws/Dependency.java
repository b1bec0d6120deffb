package dev.spillway.adapters.aws;

/** The AWS services that this system talks to. */
enum Dependency {
    DYNAMODB("dynamodb", "AWS_ENDPOINT_URL_DYNAMODB", 1, 50),
    // Nobody waits on the phone for ECS, and throttling there lasts.
    ECS("ecs", "AWS_ENDPOINT_URL_ECS", 4, 10),
    EVENTBRIDGE("eventbridge", "AWS_ENDPOINT_URL_EVENTBRIDGE", 1, 10),
    SECRETS("secrets", "AWS_ENDPOINT_URL_SECRETS_MANAGER", 1, 10);

    private final String text;
    private final String endpointSetting;
    private final int patience;
    private final int mostConnections;

    Dependency(String text, String endpointSetting, int patience, int mostConnections) {
        this.text = text;
        this.endpointSetting = endpointSetting;
        this.patience = patience;
        this.mostConnections = mostConnections;
    }

    /** Its name in metrics. */
    String text() {
        return text;
    }

    String endpointSetting() {
        return endpointSetting;
    }

    /** How many times longer than the standard its calls may take. */
    int patience() {
        return patience;
    }

    int mostConnections() {
        return mostConnections;
    }
}
