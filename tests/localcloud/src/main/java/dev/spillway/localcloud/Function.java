package dev.spillway.localcloud;

/** A Lambda function as its triggers see it: JSON bytes in, JSON bytes out. An exception is a function error. */
@FunctionalInterface
public interface Function {
    byte[] invoke(byte[] payload) throws Exception;
}
