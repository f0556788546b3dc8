internal import PosixSupport
internal import ZeroMQ

/// The content of a key file: text in the [ZPL](https://rfc.zeromq.org/spec/4/) format of pyzmq's certificates, which pyzmq's
/// `zmq.auth.load_certificate` reads.
///
/// Lines are comments (`#`), names of sections, and indented entries `name = "value"`. Entries of `curve` are the keys. The section
/// `metadata` and sections that this version does not know may say more.
struct KeyFileText {
    /// The version of the format. Files of pyzmq have none.
    static let version = 1
    /// No file has more bytes.
    static let byteLimit = 16 << 10

    var metadata: [String: String] = [:]
    var publicKey: CurvePublicKey?
    var secretKey: CurveSecretKey?

    /// Why bytes are not the content of a key file. No text of the file is in it, since any may be a secret.
    enum Flaw: Error, Hashable {
        case incomplete(String)
        case damaged(String)
        case laterVersion(Int)
    }

    /// Reads the content of a file.
    init(parsing bytes: [UInt8]) throws(Flaw) {
        guard !bytes.isEmpty else { throw .incomplete("it is empty") }
        guard bytes.last == UInt8(ascii: "\n") else { throw .incomplete("its last line is cut off") }
        guard let text = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else {
            throw .damaged("it is not text")
        }
        var section = ""
        // A carriage return with its line feed is one character.
        let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
        for (index, line) in lines.enumerated() {
            let content = line.trimmed
            guard let first = content.first, first != "#" else { continue }
            if line.first?.isWhitespace == true {
                try addEntry(content, of: section, line: index + 1)
            } else {
                section = String(content)
            }
        }
        try checkVersion()
    }

    private mutating func addEntry(_ entry: Substring, of section: String, line: Int) throws(Flaw) {
        switch section {
        case "curve": try addKey(entry, line: line)
        case "metadata":
            // pyzmq writes `name: value` here.
            guard let end = entry.firstIndex(where: { $0 == "=" || $0 == ":" }) else { return }
            metadata[String(entry[..<end].trimmed)] = String(entry[entry.index(after: end)...].trimmed.unquoted)
        default: break
        }
    }

    private mutating func addKey(_ entry: Substring, line: Int) throws(Flaw) {
        guard let end = entry.firstIndex(of: "=") else {
            throw .damaged("line \(line) is not an entry name = \"value\"")
        }
        let (name, value) = (entry[..<end].trimmed, String(entry[entry.index(after: end)...].trimmed.unquoted))
        switch name {
        case "public-key":
            guard let key = CurvePublicKey(value) else { throw .damaged(Self.noKey(name, line)) }
            guard publicKey == nil else { throw .damaged("line \(line) is a second public-key") }
            publicKey = key
        case "secret-key":
            guard let key = CurveSecretKey(z85: value) else { throw .damaged(Self.noKey(name, line)) }
            guard secretKey == nil else { throw .damaged("line \(line) is a second secret-key") }
            secretKey = key
        default: throw .damaged("line \(line) is an unknown entry of the section 'curve'")
        }
    }

    private static func noKey(_ name: Substring, _ line: Int) -> String {
        "the \(name) in line \(line) is not 40 characters of Z85"
    }

    private func checkVersion() throws(Flaw) {
        guard let text = metadata["caprig-key-version"] else { return }
        guard let version = Int(text), version > 0 else { throw .damaged("its caprig-key-version is not a number") }
        guard version <= Self.version else { throw .laterVersion(version) }
    }
}

extension KeyFileText {
    /// Returns the content of the file of a key pair.
    /// - Parameter holder: Whose key it is, for people.
    static func secret(_ pair: CurveKeyPair, of holder: String, created: UTCDate) -> [UInt8] {
        let warning = """
            # The secret key of \(printable(holder)).
            # Whoever has this file can act in its holder's name. Do not copy it, send it, or put it under version control.
            """
        return text(
            warning, [("holder", holder), ("created", created.secondsText)],
            "    public-key = \"\(pair.publicKey)\"\n    secret-key = \"\(pair.secretKey.z85)\"\n")
    }

    /// Returns the content of the file of a public key.
    static func `public`(_ key: CurvePublicKey, of holder: String, _ metadata: [(String, String)]) -> [UInt8] {
        let remark = "# The public key of \(printable(holder)). It is no secret."
        return text(remark, [("holder", holder)] + metadata, "    public-key = \"\(key)\"\n")
    }

    private static func text(_ remark: String, _ metadata: [(String, String)], _ keys: String) -> [UInt8] {
        let entries = metadata.map { "    \($0) = \"\(printable($1))\"\n" }.joined()
        return Array(
            """
            # Caprig key file, version \(version)
            \(remark)
            metadata
                caprig-key-version = \(version)
            \(entries)curve
            \(keys)
            """.utf8)
    }

    /// Makes one line without quotes of a text, at most 200 characters of it.
    private static func printable(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.prefix(200).map { scalar in
                    let isPlain = scalar.value >= 0x20 && !(0x7F...0x9F).contains(scalar.value)
                    return isPlain && !["\"", "\u{2028}", "\u{2029}"].contains(scalar) ? scalar : "_"
                }))
    }
}

extension Substring {
    /// Without white space at both ends.
    fileprivate var trimmed: Substring {
        var rest = drop(while: \.isWhitespace)
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return rest
    }

    /// Without one pair of quotes around it.
    fileprivate var unquoted: Substring {
        guard let quote = first, quote == "\"" || quote == "'", count >= 2, last == quote else { return self }
        return dropFirst().dropLast()
    }
}

extension UTCDate {
    /// ISO 8601 to the second: `2026-11-21T10:11:01Z`.
    var secondsText: String { String(description.prefix(19)) + "Z" }

    /// The same without punctuation, for names of files: `20261121T101101Z`.
    var compactText: String { secondsText.filter { $0 != "-" && $0 != ":" } }
}
