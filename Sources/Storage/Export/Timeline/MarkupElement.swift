/// An XML element with its attributes, and either a text or elements, each on a line of its own.
struct MarkupElement {
    var name: String
    var attributes: [(name: String, value: String)]
    var text: String?
    var children: [MarkupElement] = []

    init(
        _ name: String, _ attributes: KeyValuePairs<String, String?> = [:], text: String? = nil,
        children: [MarkupElement] = []
    ) {
        self.name = name
        self.attributes = attributes.compactMap { name, value in value.map { (name, $0) } }
        self.text = text
        self.children = children
    }

    func rendered(indentation: String = "") -> String {
        let attributes = attributes.map { " \($0.name)=\"\(Self.escaped($0.value))\"" }.joined()
        let start = "\(indentation)<\(name)\(attributes)"
        if let text { return "\(start)>\(Self.escaped(text))</\(name)>\n" }
        guard !children.isEmpty else { return start + "/>\n" }
        let inner = children.map { $0.rendered(indentation: indentation + "  ") }.joined()
        return "\(start)>\n\(inner)\(indentation)</\(name)>\n"
    }

    /// Characters that XML 1.0 cannot hold, of which people's notes may have some, become U+FFFD.
    private static func escaped(_ text: String) -> String {
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped.append(contentsOf: "&amp;".unicodeScalars)
            case "<": escaped.append(contentsOf: "&lt;".unicodeScalars)
            case ">": escaped.append(contentsOf: "&gt;".unicodeScalars)
            case "\"": escaped.append(contentsOf: "&quot;".unicodeScalars)
            case "\t", "\n", "\r": escaped.append(contentsOf: "&#\(scalar.value);".unicodeScalars)
            case ..<" ", "\u{FFFE}", "\u{FFFF}": escaped.append("\u{FFFD}")
            default: escaped.append(scalar)
            }
        }
        return String(escaped)
    }
}
