/// The attributes of one XML tag by their literal names; references such as `&amp;` stay as they are.
struct XMPTag {
    private let attributes: [Substring: Substring]

    subscript(name: String) -> String? {
        attributes[name[...]].map(String.init)
    }

    /// All tags of a text, in order. Reading ends where the text is no XML.
    static func all(in text: String) -> [XMPTag] {
        var tags: [XMPTag] = []
        var rest = text[...]
        while let start = rest.firstIndex(of: "<") {
            rest = rest[start...].dropFirst()
            guard let tag = XMPTag(&rest) else { return tags }
            tags.append(tag)
        }
        return tags
    }

    /// Takes one tag from the front, its name and final `>` included; nil where it does not end.
    private init?(_ rest: inout Substring) {
        var attributes: [Substring: Substring] = [:]
        rest = rest.drop { !$0.isWhitespace && $0 != ">" }
        while true {
            rest = rest.drop { $0.isWhitespace || $0 == "/" || $0 == "?" }
            guard let first = rest.first else { return nil }
            if first == ">" { break }
            let name = rest.prefix { $0 != "=" && $0 != ">" && !$0.isWhitespace }
            rest = rest.dropFirst(name.count).drop(while: \.isWhitespace)
            guard rest.first == "=" else { continue }
            rest = rest.dropFirst().drop(while: \.isWhitespace)
            guard let quote = rest.first, quote == "\"" || quote == "'" else { return nil }
            let value = rest.dropFirst().prefix { $0 != quote }
            guard value.endIndex < rest.endIndex else { return nil }
            attributes[name] = value
            rest = rest[value.endIndex...].dropFirst()
        }
        self.attributes = attributes
    }
}
