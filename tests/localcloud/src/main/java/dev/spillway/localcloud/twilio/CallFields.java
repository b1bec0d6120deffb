package dev.spillway.localcloud.twilio;

import java.util.LinkedHashMap;
import java.util.Map;

/** The fields that every webhook about a call carries. */
final class CallFields {
    private CallFields() {}

    static Map<String, String> of(Call call) {
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("CallSid", call.sid());
        fields.put("AccountSid", call.accountSid());
        fields.put("From", call.from());
        fields.put("To", call.to());
        fields.put("Caller", call.from());
        fields.put("Called", call.to());
        fields.put("CallStatus", call.status().text());
        fields.put("Direction", call.direction());
        fields.put("ApiVersion", "2010-04-01");
        fields.put("CallToken", "{\"parentCallInfoToken\":\"not-a-real-token\"}");
        for (String side : new String[] {"From", "To", "Caller", "Called"}) {
            fields.put(side + "City", "");
            fields.put(side + "State", "");
            fields.put(side + "Zip", "");
            fields.put(side + "Country", "US");
        }
        return fields;
    }
}
