package dev.spillway.infra;

import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import software.amazon.awscdk.services.ecr.assets.DockerImageAsset;
import software.amazon.awscdk.services.ecr.assets.Platform;
import software.constructs.Construct;

/**
 * The media container's image: one that is named, or one that {@code cdk deploy} builds from the packaged module. Synthesis
 * only reads the module's files; Docker is needed when it is deployed.
 */
final class MediaImage {
    private final @Nullable String named;
    private final Path module;
    private @Nullable DockerImageAsset asset;

    MediaImage(@Nullable String named, Path module) {
        this.named = named;
        this.module = module;
    }

    String uri(Construct scope) {
        return named != null ? named : asset(scope).getImageUri();
    }

    Optional<String> repositoryArn(Construct scope) {
        return named != null
                ? PoolService.repositoryArn(scope, named)
                : Optional.of(asset(scope).getRepository().getRepositoryArn());
    }

    private DockerImageAsset asset(Construct scope) {
        DockerImageAsset made = asset;
        if (made == null) {
            made = DockerImageAsset.Builder.create(scope, "Image")
                    .directory(module.toString())
                    .platform(Platform.LINUX_ARM64)
                    .build();
            asset = made;
        }
        return made;
    }
}
