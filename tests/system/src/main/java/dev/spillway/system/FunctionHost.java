package dev.spillway.system;

import com.amazonaws.services.lambda.runtime.ClientContext;
import com.amazonaws.services.lambda.runtime.CognitoIdentity;
import com.amazonaws.services.lambda.runtime.Context;
import com.amazonaws.services.lambda.runtime.LambdaLogger;
import com.amazonaws.services.lambda.runtime.RequestHandler;
import com.amazonaws.services.lambda.runtime.serialization.PojoSerializer;
import com.amazonaws.services.lambda.runtime.serialization.events.LambdaEventSerializers;
import dev.spillway.localcloud.Function;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Runs a handler as Lambda does, but in this process: JSON bytes in and out through the same serializers that the Java
 * runtime uses.
 */
final class FunctionHost {
    private FunctionHost() {}

    static <I, O extends @Nullable Object> Function of(String name, RequestHandler<I, O> handler, Class<I> input) {
        PojoSerializer<I> reader = LambdaEventSerializers.serializerFor(input, FunctionHost.class.getClassLoader());
        return payload -> {
            I event = reader.fromJson(new ByteArrayInputStream(payload));
            O result = handler.handleRequest(event, new Invocation(name));
            return result == null ? "null".getBytes(StandardCharsets.UTF_8) : bytes(result);
        };
    }

    @SuppressWarnings("unchecked") // the serializer is asked for by the object's own class
    private static byte[] bytes(Object result) {
        PojoSerializer<Object> writer = (PojoSerializer<Object>)
                LambdaEventSerializers.serializerFor(result.getClass(), FunctionHost.class.getClassLoader());
        var out = new ByteArrayOutputStream();
        writer.toJson(result, out);
        return out.toByteArray();
    }

    /** What Lambda tells a function about its invocation. */
    private static final class Invocation implements Context {
        private final String name;
        private final String requestId = UUID.randomUUID().toString();

        Invocation(String name) {
            this.name = name;
        }

        @Override
        public String getAwsRequestId() {
            return requestId;
        }

        @Override
        public String getLogGroupName() {
            return "/aws/lambda/" + name;
        }

        @Override
        public String getLogStreamName() {
            return "local";
        }

        @Override
        public String getFunctionName() {
            return name;
        }

        @Override
        public String getFunctionVersion() {
            return "1";
        }

        @Override
        public String getInvokedFunctionArn() {
            return "arn:aws:lambda:us-east-1:000000000000:function:" + name;
        }

        @Override
        @SuppressWarnings("NullAway") // Lambda itself gives null for an invocation that no mobile client made
        public CognitoIdentity getIdentity() {
            return null;
        }

        @Override
        @SuppressWarnings("NullAway") // as above
        public ClientContext getClientContext() {
            return null;
        }

        @Override
        public int getRemainingTimeInMillis() {
            return 30_000;
        }

        @Override
        public int getMemoryLimitInMB() {
            return 512;
        }

        @Override
        public LambdaLogger getLogger() {
            return new LambdaLogger() {
                @Override
                public void log(String message) {
                    System.err.print(message);
                }

                @Override
                public void log(byte[] message) {
                    System.err.write(message, 0, message.length);
                }
            };
        }
    }
}
