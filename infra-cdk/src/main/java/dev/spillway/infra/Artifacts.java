package dev.spillway.infra;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * What is deployed, as the build made it.
 *
 * @param functionsJar one jar with all functions and everything that they need
 * @param mediaContainer the packaged module with its Dockerfile
 */
record Artifacts(Path functionsJar, Path mediaContainer) {
    /** As a build of the whole project leaves them. */
    static Artifacts in(Path home) {
        return new Artifacts(
                home.resolve("functions/lambda/target/spillway-functions.jar"), home.resolve("media-container"));
    }

    /** One for each stack: a stack uploads its own. */
    MediaImage image(@Nullable String named) {
        return new MediaImage(named, mediaContainer);
    }
}
