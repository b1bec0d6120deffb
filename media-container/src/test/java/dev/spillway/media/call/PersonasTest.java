package dev.spillway.media.call;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.BLOOM;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spillway.core.DependencyException;
import dev.spillway.core.memory.MemoryTable;
import dev.spillway.core.tenant.TenantId;
import dev.spillway.media.rig.Rig;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PersonasTest {
    private final MemoryTable table = Rig.table();
    private final Patience patience = new Patience(Duration.ofSeconds(5));
    private final Personas personas = new Personas(table.tenants(), patience);

    @AfterEach
    void close() {
        patience.close();
    }

    @Test
    void a_tenant_learned_ahead_has_a_persona_also_when_its_first_call_finds_the_table_down() {
        personas.learnAll();
        table.operations().failAll(operation -> true);
        assertThat(personas.find(ACME)).isPresent();
        assertThat(personas.find(BLOOM)).isPresent();
        assertThatThrownBy(() -> personas.find(new TenantId("later"))).isInstanceOf(DependencyException.class);
    }

    @Test
    void learning_with_the_table_down_forgets_nobody() {
        personas.learnAll();
        table.operations().failAll(operation -> true);
        personas.learnAll();
        assertThat(personas.find(ACME)).isPresent();
    }
}
