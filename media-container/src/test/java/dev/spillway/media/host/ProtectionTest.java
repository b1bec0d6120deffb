package dev.spillway.media.host;

import static dev.spillway.core.memory.Sample.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.core.journal.Journal.Entry;
import dev.spillway.media.rig.FakeHost;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ProtectionTest {
    private final FakeHost host = new FakeHost("t1");
    private final List<Entry> journal = new ArrayList<>();
    private final Protection protection = new Protection(host.host(), journal::add);

    @AfterEach
    void close() {
        host.close();
    }

    @Test
    void an_answer_without_a_usable_date_is_no_protection_and_it_is_asked_for_again() {
        host.answers("{\"protection\":{\"ExpirationDate\":\"tomorrow\",\"ProtectionEnabled\":true}}");
        assertThat(protection.renewIfDue(NOW)).isFalse();
        assertThat(protection.until()).isEqualTo(Instant.EPOCH);
        assertThat(journal).extracting(Entry::event).containsExactly("protection-failed");

        host.answers(FakeHost.GRANTED);
        assertThat(protection.renewIfDue(NOW)).isTrue();
        assertThat(protection.until()).isEqualTo(Instant.parse("2026-11-29T10:00:00Z"));
    }

    @Test
    void while_a_deployment_blocks_it_it_is_asked_for_and_told_of_every_thirty_seconds() {
        host.answers(FakeHost.BLOCKED);
        for (int second = 0; second <= 59; second++) {
            assertThat(protection.renewIfDue(NOW.plusSeconds(second))).isTrue();
        }
        assertThat(host.asked()).hasSize(2);
        assertThat(journal).extracting(Entry::event).containsExactly("protection-refused", "protection-refused");

        host.answers(FakeHost.GRANTED);
        assertThat(protection.renewIfDue(NOW.plusSeconds(60))).isTrue();
        assertThat(protection.until()).isEqualTo(Instant.parse("2026-11-29T10:00:00Z"));
    }

    @Test
    void a_refusal_for_another_reason_is_no_answer_and_a_start_asks_again_at_its_own_pace() {
        host.answers(FakeHost.BLOCKED.replace("DEPLOYMENT_BLOCKED", "TASK_NOT_VALID"));
        assertThat(protection.renewIfDue(NOW)).isFalse();
        host.answers(FakeHost.GRANTED);
        assertThat(protection.renewIfDue(NOW.plusMillis(200))).isTrue();
    }

    @Test
    void an_agent_that_hangs_holds_up_nobody_who_only_wants_to_know_until_when_it_lasts() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch answer = new CountDownLatch(1);
        Protection slow = new Protection(
                new Host() {
                    @Override
                    public Identity identity() {
                        throw new UnsupportedOperationException();
                    }

                    @Override
                    public Granted protect(int minutes) {
                        asked.countDown();
                        try {
                            answer.await();
                        } catch (InterruptedException e) {
                            throw new AssertionError(e);
                        }
                        return new Granted.Until(NOW.plusSeconds(3_600));
                    }

                    @Override
                    public void unprotect() {}
                },
                journal::add);
        var renewing = CompletableFuture.supplyAsync(() -> slow.renewIfDue(NOW), Thread::startVirtualThread);
        asked.await();

        assertThat(CompletableFuture.supplyAsync(slow::until, Thread::startVirtualThread)
                        .get(5, TimeUnit.SECONDS))
                .isEqualTo(Instant.EPOCH);

        answer.countDown();
        assertThat(renewing.get()).isTrue();
        assertThat(slow.until()).isEqualTo(NOW.plusSeconds(3_600));
    }
}
