package dev.spillway.operator.doctor;

/**
 * Something that is not as the tenants need it.
 *
 * @param what it is about
 * @param found as it is
 * @param needed as it should be
 * @param todo what to do about it
 */
public record Mismatch(String what, String found, String needed, String todo) {
    @Override
    public String toString() {
        return what + ": " + found + ", want " + needed + ". " + todo;
    }
}
