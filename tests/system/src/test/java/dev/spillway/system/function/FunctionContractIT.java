package dev.spillway.system.function;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spillway.lambda.DeployedFunction;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What each function declares is what it uses: nothing is missing, and nothing is allowed that nobody needs. That the
 * policies say what is declared is tested with the templates.
 */
class FunctionContractIT {
    private static final Map<DeployedFunction, FunctionContract> CONTRACTS = new EnumMap<>(DeployedFunction.class);

    @BeforeAll
    static void haveEachFunctionDoItsWork(@TempDir Path work) throws Exception {
        Path dynalite = Path.of(System.getProperty("spillway.home")).resolve("tests/localcloud/dynalite");
        for (DeployedFunction function : DeployedFunction.values()) {
            CONTRACTS.put(function, FunctionContract.of(function, dynalite, work));
        }
    }

    private static FunctionContract contract(DeployedFunction function) {
        return java.util.Objects.requireNonNull(CONTRACTS.get(function));
    }

    @ParameterizedTest
    @EnumSource
    void a_function_uses_what_it_declares_and_declares_what_it_uses(DeployedFunction function) {
        assertThat(contract(function).uses()).containsExactlyElementsOf(function.actions());
    }

    @ParameterizedTest
    @EnumSource
    void a_permission_that_is_taken_away_is_named(DeployedFunction function) {
        for (String taken : function.actions()) {
            List<String> policy = new ArrayList<>(function.actions());
            policy.remove(taken);

            assertThatThrownBy(() -> contract(function).check(policy))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("function " + function.id() + " uses [" + taken + "]");
        }
        contract(function).check(function.actions());
    }
}
