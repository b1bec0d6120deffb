package dev.spillway.localcloud.twilio;

import dev.spillway.localcloud.twilio.Twiml.Verb;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.xml.XMLConstants;
import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.jspecify.annotations.Nullable;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.xml.sax.ErrorHandler;
import org.xml.sax.SAXException;
import org.xml.sax.SAXParseException;

/** Reads TwiML; without document types, entities or anything fetched from elsewhere. */
final class TwimlParser {

    /** The document is no TwiML (12100). */
    static final class InvalidTwiml extends Exception {
        private static final long serialVersionUID = 1;

        InvalidTwiml(String message) {
            super(message);
        }
    }

    private final List<String> warnings = new ArrayList<>();

    private TwimlParser() {}

    static Twiml parse(byte[] xml) throws InvalidTwiml {
        return new TwimlParser().document(xml);
    }

    private Twiml document(byte[] xml) throws InvalidTwiml {
        Element root;
        try {
            root = builder().parse(new ByteArrayInputStream(xml)).getDocumentElement();
        } catch (SAXException | IOException e) {
            throw new InvalidTwiml("document parse failure: " + e.getMessage());
        }
        if (!root.getTagName().equals("Response")) {
            throw new InvalidTwiml("the root is " + root.getTagName() + ", not Response");
        }
        List<Verb> verbs = new ArrayList<>();
        for (Element element : children(root)) {
            verbs.add(verb(element));
        }
        return new Twiml(verbs, warnings);
    }

    private static DocumentBuilder builder() {
        try {
            var factory = DocumentBuilderFactory.newDefaultInstance();
            factory.setFeature(XMLConstants.FEATURE_SECURE_PROCESSING, true);
            factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
            factory.setXIncludeAware(false);
            factory.setExpandEntityReferences(false);
            var builder = factory.newDocumentBuilder();
            builder.setErrorHandler(new Quiet());
            return builder;
        } catch (ParserConfigurationException e) {
            throw new IllegalStateException("the JDK's parser has these features", e);
        }
    }

    private Verb verb(Element element) {
        return switch (element.getTagName()) {
            case "Connect" -> connect(element);
            case "Redirect" -> new Twiml.Redirect(text(element), method(element, "method"));
            case "Say" -> new Twiml.Say(text(element), number(element, "loop", 1));
            case "Play" -> new Twiml.Play(text(element), element.getAttribute("digits"), number(element, "loop", 1));
            case "Pause" -> new Twiml.Pause(Math.max(1, number(element, "length", 1)));
            case "Hangup" -> new Twiml.Hangup();
            case "Dial" -> new Twiml.Dial(text(element), attribute(element, "action"), method(element, "method"));
            case "Reject" -> new Twiml.Reject(element.getAttribute("reason").equals("busy"));
            default -> unknown(element.getTagName());
        };
    }

    private Verb connect(Element element) {
        Element stream = null;
        for (Element child : children(element)) {
            if (child.getTagName().equals("Stream") && stream == null) {
                stream = child;
            } else {
                warnings.add("12200: " + child.getTagName() + " inside Connect");
            }
        }
        if (stream == null) {
            return unknown("Connect without Stream");
        }
        Map<String, String> parameters = new LinkedHashMap<>();
        for (Element child : children(stream)) {
            if (child.getTagName().equals("Parameter")) {
                parameters.put(child.getAttribute("name"), child.getAttribute("value"));
            } else {
                warnings.add("12200: " + child.getTagName() + " inside Stream");
            }
        }
        return new Twiml.Connect(
                stream.getAttribute("url").strip(),
                attribute(stream, "name"),
                attribute(stream, "statusCallback"),
                method(stream, "statusCallbackMethod"),
                parameters,
                attribute(element, "action"));
    }

    private Verb unknown(String name) {
        warnings.add("12200: " + name);
        return new Twiml.Unknown(name);
    }

    private static @Nullable String attribute(Element element, String name) {
        return element.hasAttribute(name) ? element.getAttribute(name).strip() : null;
    }

    private static String method(Element element, String name) {
        return element.getAttribute(name).equals("GET") ? "GET" : "POST";
    }

    private int number(Element element, String name, int otherwise) {
        String text = element.getAttribute(name);
        if (text.matches("[0-9]{1,4}")) {
            return Integer.parseInt(text);
        }
        if (!text.isEmpty()) {
            warnings.add("12200: " + name + "=\"" + text + "\" of " + element.getTagName());
        }
        return otherwise;
    }

    private static String text(Element element) {
        return element.getTextContent().strip();
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

    /** The JDK's own handler writes to standard error. */
    private static final class Quiet implements ErrorHandler {
        @Override
        public void warning(SAXParseException e) {}

        @Override
        public void error(SAXParseException e) throws SAXException {
            throw e;
        }

        @Override
        public void fatalError(SAXParseException e) throws SAXException {
            throw e;
        }
    }
}
