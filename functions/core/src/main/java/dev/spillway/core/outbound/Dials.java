package dev.spillway.core.outbound;

import dev.spillway.core.DependencyException;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.Generation;
import dev.spillway.core.tenant.Tenant;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** What we ask of Twilio's REST API for calls out. */
public interface Dials {
    /** What came of one request to dial. */
    sealed interface Result {
        /** Twilio dials, or will. */
        record Taken(CallSid call) implements Result {}

        /**
         * Surely nobody is dialled.
         *
         * @param forGood Twilio says that this call cannot be made at all
         */
        record Refused(String reason, boolean forGood) implements Result {}

        /** Nobody knows: the request may have taken effect. */
        record Unknown(String reason) implements Result {}
    }

    /**
     * Asks once, and never again by itself. TwiML and status callbacks of the call carry job and generation.
     *
     * @param notAfter if it is later than that, nobody is asked
     */
    Result dial(Tenant tenant, Job job, Generation generation, Instant notAfter);

    /** A call as Twilio lists it. {@code status} is Twilio's word. */
    record Listed(CallSid call, String status) {}

    /**
     * Calls from that number to the other, made since then.
     *
     * @throws DependencyException if Twilio does not answer
     */
    List<Listed> find(Tenant tenant, String from, String to, Instant since);

    /** Twilio's word for how that call is; empty if it does not know the call. */
    Optional<String> status(Tenant tenant, CallSid call);

    /**
     * Ends the call, ringing or talking; false if it is over.
     *
     * @throws DependencyException if it is unknown whether Twilio took it
     */
    boolean hangUp(Tenant tenant, CallSid call);
}
