package dev.spillway.core;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.spillway.core.attempt.AttemptListing;
import dev.spillway.core.background.Shifts;
import dev.spillway.core.call.CallEnding;
import dev.spillway.core.call.StreamFailure;
import dev.spillway.core.console.ConsoleReading;
import dev.spillway.core.handoff.HandOff;
import dev.spillway.core.outbound.DialAnswering;
import dev.spillway.core.outbound.DialInquiry;
import dev.spillway.core.outbound.DialPermit;
import dev.spillway.core.outbound.DialProgress;
import dev.spillway.core.outbound.DialUpkeep;
import dev.spillway.core.outbound.Dialer;
import dev.spillway.core.outbound.DialerRuns;
import dev.spillway.core.outbound.DueJobs;
import dev.spillway.core.outbound.JobCanceling;
import dev.spillway.core.outbound.JobCheck;
import dev.spillway.core.outbound.JobIntake;
import dev.spillway.core.outbound.OutboundEnding;
import dev.spillway.core.reconcile.FleetMending;
import dev.spillway.core.reconcile.Inquiry;
import dev.spillway.core.reconcile.Launches;
import dev.spillway.core.reconcile.OpenCalls;
import dev.spillway.core.reconcile.Reconciliation;
import dev.spillway.core.reconcile.SilentContainers;
import dev.spillway.core.reconcile.StaleClaims;
import dev.spillway.core.routing.CallAnswering;
import dev.spillway.core.scaling.Growth;
import dev.spillway.core.scaling.Retirement;
import java.net.URI;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The core knows no cloud, no clock, no random source and no I/O: time is an argument, and the world is behind ports. */
class PurityTest {
    private static final JavaClasses CORE = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("dev.spillway.core");

    private static final Set<Class<?>> FLOWS = Set.of(
            CallAnswering.class,
            CallEnding.class,
            StreamFailure.class,
            HandOff.class,
            AttemptListing.class,
            ConsoleReading.class,
            Growth.class,
            Retirement.class,
            Reconciliation.class,
            Shifts.class,
            Inquiry.class,
            StaleClaims.class,
            SilentContainers.class,
            OpenCalls.class,
            Launches.class,
            FleetMending.class,
            DialProgress.class,
            DialAnswering.class,
            OutboundEnding.class,
            DialPermit.class,
            DialUpkeep.class,
            DialInquiry.class,
            Dialer.class,
            DialerRuns.class,
            DueJobs.class,
            JobCheck.class,
            JobIntake.class,
            JobCanceling.class);

    @Test
    void the_core_depends_on_the_language_and_on_nothing_else() {
        classes()
                .that(resideInAPackage("dev.spillway.core.."))
                .should()
                // An address is a value too; whatever opens one stays outside.
                .onlyDependOnClassesThat(resideInAnyPackage(
                                "dev.spillway.core..",
                                "java.lang..",
                                "java.util",
                                "java.util.function",
                                "java.util.regex",
                                "java.util.stream",
                                "java.time",
                                "java.nio.charset",
                                "java.security",
                                "javax.crypto..",
                                "org.jspecify..")
                        .or(type(URI.class)))
                .check(CORE);
    }

    @Test
    void only_the_stream_key_knows_cryptography() {
        noClasses()
                .that()
                .resideOutsideOfPackage("dev.spillway.core.stream")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("java.security", "javax.crypto..", "java.nio.charset")
                .check(CORE);
    }

    @Test
    void nothing_asks_for_the_time() {
        for (Class<?> source : List.of(
                Instant.class, LocalDate.class, LocalDateTime.class, OffsetDateTime.class, ZonedDateTime.class)) {
            noClasses().should().callMethod(source, "now").check(CORE);
        }
        noClasses().should().dependOnClassesThat().areAssignableTo(Clock.class).check(CORE);
        noClasses().should().callMethod(System.class, "currentTimeMillis").check(CORE);
        noClasses().should().callMethod(System.class, "nanoTime").check(CORE);
    }

    @Test
    void nothing_reads_the_environment_sleeps_or_starts_threads() {
        noClasses().should().callMethod(System.class, "getenv").check(CORE);
        noClasses().should().callMethod(System.class, "getenv", String.class).check(CORE);
        noClasses()
                .should()
                .callMethod(System.class, "getProperty", String.class)
                .check(CORE);
        noClasses().should().dependOnClassesThat().areAssignableTo(Thread.class).check(CORE);
    }

    @Test
    void nothing_draws_a_random_number() {
        for (Class<?> source : List.of(Random.class, SecureRandom.class, UUID.class)) {
            noClasses().should().dependOnClassesThat().areAssignableTo(source).check(CORE);
        }
        noClasses().should().callMethod(Math.class, "random").check(CORE);
    }

    @Test
    void flows_hold_ports_other_flows_and_the_timing_and_keep_no_state() {
        DescribedPredicate<JavaClass> portFlowOrTiming = DescribedPredicate.describe(
                "a port, a flow or Timing",
                type -> type.isInterface()
                        || type.isEquivalentTo(Timing.class)
                        || FLOWS.stream().anyMatch(type::isEquivalentTo));
        for (Class<?> flow : FLOWS) {
            fields().that()
                    .areDeclaredIn(flow)
                    .and()
                    .areNotStatic()
                    .should()
                    .haveRawType(portFlowOrTiming)
                    .andShould()
                    .beFinal()
                    .check(CORE);
        }
    }

    @Test
    void static_fields_are_constants() {
        fields().that().areStatic().should().beFinal().check(CORE);
    }

    // Calls, pools and scaling name each other by design. What lies above them is known to nothing below.

    @Test
    void values_know_no_flow_above_them() {
        noClasses()
                .that()
                .resideInAnyPackage(
                        "dev.spillway.core.attempt",
                        "dev.spillway.core.call",
                        "dev.spillway.core.pool",
                        "dev.spillway.core.tenant",
                        "dev.spillway.core.event",
                        "dev.spillway.core.journal",
                        "dev.spillway.core.stream")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "dev.spillway.core.routing", "dev.spillway.core.handoff", "dev.spillway.core.reconcile")
                .check(CORE);
    }

    @Test
    void routing_scaling_and_hand_off_do_not_know_the_reconciler_and_routing_stands_alone() {
        noClasses()
                .that()
                .resideOutsideOfPackage("dev.spillway.core.reconcile")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("dev.spillway.core.reconcile")
                .check(CORE);
        noClasses()
                .that()
                .resideOutsideOfPackage("dev.spillway.core.routing")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("dev.spillway.core.routing")
                .check(CORE);
    }

    @Test
    void tenants_and_the_journal_know_only_themselves() {
        for (String alone : List.of("dev.spillway.core.tenant", "dev.spillway.core.journal")) {
            noClasses()
                    .that()
                    .resideInAPackage(alone)
                    .should()
                    .dependOnClassesThat(resideInAPackage("dev.spillway.core..")
                            .and(DescribedPredicate.not(resideInAPackage(alone)))
                            .and(DescribedPredicate.not(DescribedPredicate.describe(
                                    "DependencyException, in Javadoc",
                                    type -> type.isEquivalentTo(DependencyException.class)))))
                    .check(CORE);
        }
    }
}
