package dev.spillway.system.conform;

import static dev.spillway.system.conform.Trial.demand;

import java.io.IOException;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.xml.XMLConstants;
import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.xml.sax.InputSource;
import org.xml.sax.SAXException;
import org.xml.sax.helpers.DefaultHandler;

/**
 * A container's answer to a webhook: a stream, and where the call goes on after it.
 *
 * @param statusCallback empty if it has none
 * @param redirect without connection overrides
 */
record StreamTwiml(String url, String statusCallback, Map<String, String> parameters, String redirect) {
    /** What Twilio would do with it. */
    static StreamTwiml read(String text) throws Violation {
        List<Element> verbs = children(root(text));
        List<String> names = verbs.stream().map(Element::getTagName).toList();
        int connect = names.indexOf("Connect");
        demand(
                connect >= 0
                        && names.size() > connect + 1
                        && names.get(connect + 1).equals("Redirect"),
                "the TwiML has no Connect that a Redirect follows: " + text);
        List<Element> streams = children(verbs.get(connect));
        demand(
                streams.size() == 1 && streams.getFirst().getTagName().equals("Stream"),
                "the TwiML's Connect has not one Stream: " + text);
        Element stream = streams.getFirst();
        Element redirect = verbs.get(connect + 1);
        demand(
                isPost(redirect, "method") && isPost(stream, "statusCallbackMethod"),
                "the TwiML wants another method than POST: " + text);
        Map<String, String> parameters = new HashMap<>();
        children(stream).forEach(inner -> parameters.put(inner.getAttribute("name"), inner.getAttribute("value")));
        return new StreamTwiml(
                stream.getAttribute("url").strip(),
                stream.getAttribute("statusCallback").strip(),
                parameters,
                redirect.getTextContent().strip().replaceFirst("#.*", ""));
    }

    private static boolean isPost(Element element, String attribute) {
        return !element.hasAttribute(attribute)
                || element.getAttribute(attribute).equals("POST");
    }

    private static Element root(String text) throws Violation {
        try {
            DocumentBuilderFactory factory = DocumentBuilderFactory.newDefaultInstance();
            factory.setFeature(XMLConstants.FEATURE_SECURE_PROCESSING, true);
            factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
            DocumentBuilder builder = factory.newDocumentBuilder();
            builder.setErrorHandler(new DefaultHandler()); // the JDK's own writes to standard error
            return builder.parse(new InputSource(new StringReader(text))).getDocumentElement();
        } catch (SAXException e) {
            throw new Violation("the TwiML is no XML (" + e.getMessage() + "): " + text);
        } catch (IOException | ParserConfigurationException e) {
            throw new IllegalStateException("the JDK's parser reads text", e);
        }
    }

    private static List<Element> children(Element parent) {
        List<Element> children = new ArrayList<>();
        for (Node node = parent.getFirstChild(); node != null; node = node.getNextSibling()) {
            if (node instanceof Element element) {
                children.add(element);
            }
        }
        return children;
    }
}
