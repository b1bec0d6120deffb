package dev.spillway.core.tenant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spillway.core.memory.Sample;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AccessTest {
    private static final Principal ROLE = new Principal("arn:aws:iam::123456789012:role/dialler");
    private static final Principal USER = new Principal("arn:aws:iam::123456789012:user/staff/ann");

    @ParameterizedTest
    @ValueSource(
            strings = {
                "arn:aws:iam::123456789012:role/dialler",
                "arn:aws:iam::123456789012:role/team/deep/dialler",
                "arn:aws:sts::123456789012:assumed-role/dialler/i-0123456789",
                "arn:aws:sts::123456789012:assumed-role/dialler/ann@example.com"
            })
    void a_role_its_path_and_its_sessions_are_one_principal(String arn) {
        assertThat(Principal.parse(arn)).contains(ROLE);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "arn:aws:iam::123456789013:role/dialler",
                "arn:aws:iam::123456789012:role/dialler2",
                "arn:aws:iam::123456789012:user/dialler",
                "arn:aws-cn:sts::123456789012:assumed-role/dialler/x"
            })
    void another_account_name_kind_or_partition_is_another_principal(String arn) {
        assertThat(Principal.parse(arn)).isPresent().get().isNotEqualTo(ROLE);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "ann",
                "arn:aws:iam::123456789012:root",
                "arn:aws:sts::123456789012:federated-user/ann",
                "arn:aws:iam::123456789012:role/*",
                "arn:aws:iam::12:role/dialler",
                "arn:aws:sts::123456789012:assumed-role/dialler",
                "arn:aws:iam::123456789012:role/dialler\n"
            })
    void what_is_no_user_and_no_role_is_nobody(String arn) {
        assertThat(Principal.parse(arn)).isEmpty();
        assertThatThrownBy(() -> new Principal(arn)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void a_tenants_callers_touch_it_and_no_other() {
        Access access = new Access(Set.of());
        Tenant acme = Sample.withCallers(Sample.tenant(Sample.ACME), ROLE);
        Tenant bloom = Sample.withCallers(Sample.tenant(Sample.BLOOM), USER);

        assertThat(access.mayTouch(ROLE, Optional.of(acme))).isTrue();
        assertThat(access.mayTouch(ROLE, Optional.of(bloom))).isFalse();
        assertThat(access.mayTouch(USER, Optional.of(acme))).isFalse();
        assertThat(access.mayTouch(ROLE, Optional.empty())).isFalse();
    }

    @Test
    void an_operator_touches_every_tenant_and_learns_of_those_that_are_not() {
        Access access = new Access(Set.of(USER));

        assertThat(access.mayTouch(USER, Optional.of(Sample.tenant(Sample.ACME))))
                .isTrue();
        assertThat(access.mayTouch(USER, Optional.empty())).isTrue();
    }
}
