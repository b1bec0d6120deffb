package dev.spillway.localcloud;

/**
 * Somebody who may sign requests to the local HTTP API, with made-up keys.
 *
 * @param arn of an IAM user, or of a session of a role
 */
public record IamUser(String accessKeyId, String secretAccessKey, String arn) {
    String account() {
        return arn.split(":", -1)[4];
    }

    /** The secret is kept out of logs, made up or not. */
    @Override
    public String toString() {
        return "IamUser[" + accessKeyId + "]";
    }
}
