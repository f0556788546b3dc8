extension Scalar<String> {
    /// Text for people: not empty, without control characters.
    public static func text(limit: Int) -> Scalar {
        Scalar { text throws(ScalarFault) in
            let count = text.utf8.count
            guard count <= limit else { throw ScalarFault("has \(count) bytes; at most \(limit) are allowed") }
            guard text.contains(where: { !$0.isWhitespace }) else { throw ScalarFault("must not be empty") }
            guard !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
                throw ScalarFault("must not contain line breaks or other control characters")
            }
            return text
        }
    }

    /// A word of an open set, as selections name it: up to 64 bytes, without spaces.
    public static var word: Scalar {
        Scalar.text(limit: 64).map { text throws(ScalarFault) in
            guard !text.contains(where: \.isWhitespace) else { throw ScalarFault("'\(text)' must not contain spaces") }
            return text
        }
    }

    /// A path in the file system.
    public static var path: Scalar { text(limit: 1024) }

    /// A path from the root of the file system.
    public static var absolutePath: Scalar {
        path.map { text throws(ScalarFault) in
            guard text.hasPrefix("/") else { throw ScalarFault("'\(text.excerpt)' must begin with '/'") }
            return text
        }
    }

    /// A host name or address to listen on; `*` is every address.
    public static var host: Scalar {
        Scalar { text throws(ScalarFault) in
            guard let host = ListenHost.parse(text) else {
                throw ScalarFault("'\(text.excerpt)' is no host name or address, such as '127.0.0.1'")
            }
            return host
        }
    }
}

extension Scalar<TCPEndpoint> {
    public static var endpoint: Scalar {
        Scalar { text throws(ScalarFault) in
            do throws(EndpointFault) {
                return try TCPEndpoint(parsing: text)
            } catch {
                throw ScalarFault(error.description)
            }
        }
    }
}

extension String {
    /// The text as an error message may show it.
    var excerpt: String {
        let shown = unicodeScalars.prefix(64).map { $0.properties.generalCategory == .control ? "\u{FFFD}" : $0 }
        return String(String.UnicodeScalarView(shown)) + (unicodeScalars.count > 64 ? "…" : "")
    }
}
