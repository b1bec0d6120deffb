package dev.spillway.media.bot;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;

/**
 * Where a bot's name leads. It is looked up anew for each connection, and what was checked is what is connected to: a name
 * that leads elsewhere a moment later gains nothing.
 *
 * <p>A persona is written by whoever describes the tenant, and its bot is reached from the gateway too. So its name must not
 * lead to what only the task itself may ask: its own loopback, and the link-local addresses at which ECS gives out the task
 * role's credentials ({@code 169.254.170.2}) and its metadata. A container's own bot is configured by whoever runs the
 * container; that one may be anywhere, and usually is on loopback.
 */
public final class BotAddress {
    private BotAddress() {}

    /**
     * Blocks while the name is looked up.
     *
     * @param own whether it is the bot that the container itself was told of
     * @throws UnknownHostException if there is no such name, or a persona's leads to where it must not
     */
    public static InetAddress of(String host, boolean own) throws UnknownHostException {
        InetAddress address = InetAddress.getByName(host);
        if (!own && isOfTheTaskItself(address)) {
            throw new UnknownHostException("the name leads to an address that only the task itself may ask");
        }
        return address;
    }

    static boolean isOfTheTaskItself(InetAddress address) {
        // The JDK shows an IPv4-mapped address (::ffff:…) as the IPv4 one.
        return address.isLoopbackAddress()
                || address.isLinkLocalAddress()
                || address.isAnyLocalAddress()
                || address.isMulticastAddress()
                || (address instanceof Inet6Address wide && isOfTheTaskItself(wide.getAddress()));
    }

    private static boolean isOfTheTaskItself(byte[] wide) {
        // fd00:ec2::/32 is AWS's: instance metadata and credentials over IPv6.
        if (wide[0] == (byte) 0xfd && wide[1] == 0 && wide[2] == 0x0e && wide[3] == (byte) 0xc2) {
            return true;
        }
        boolean compatible = startsWith(wide, new byte[12]);
        boolean translated = startsWith(wide, new byte[] {0, 0x64, (byte) 0xff, (byte) 0x9b, 0, 0, 0, 0, 0, 0, 0, 0});
        if (!compatible && !translated) {
            return false;
        }
        try {
            return isOfTheTaskItself(InetAddress.getByAddress(Arrays.copyOfRange(wide, 12, 16)));
        } catch (UnknownHostException e) {
            throw new IllegalStateException("four bytes are an address", e);
        }
    }

    private static boolean startsWith(byte[] address, byte[] prefix) {
        return Arrays.equals(address, 0, prefix.length, prefix, 0, prefix.length);
    }
}
