internal import CaptureModel
internal import OpenSSL

/// Converts between the content of a join code and its text (`docs/protocol/join-code.md`).
enum JoinCodeText {
    static let prefix = "\(word)\(JoinCode.version)-"
    static let checksumLength = 5
    private static let word = "caprig"

    /// The longest text that is read, before spaces are removed.
    private static let longestPaste = 4 * JoinCode.longest

    static func text(of content: [UInt8]) -> String {
        let header = header(length: content.count + checksumLength)
        let digits = CrockfordBase32.digits(content + checksum(header, content))
        return prefix + header + String(digits.map(CrockfordBase32.character))
    }

    static func content(of text: String) throws(SecurityError) -> [UInt8] {
        let digits = try digits(of: body(of: cleaned(text)))
        let length = try length(digits)
        let body = digits.dropFirst(3)
        let expected = CrockfordBase32.length(bytes: length)
        guard body.count >= expected else {
            throw fault(
                .cutOff,
                "the code is cut off: it has \(prefix.count + digits.count) of \(prefix.count + 3 + expected) "
                    + "characters; copy all of it")
        }
        guard body.count == expected, let bytes = CrockfordBase32.bytes(body) else { throw mistyped() }
        let content = Array(bytes.dropLast(checksumLength))
        guard checksum(header(length: length), content).elementsEqual(bytes.suffix(checksumLength)) else {
            throw mistyped()
        }
        return content
    }

    /// Removes what chat programs, mails and terminals put around a word and into it, and makes letters lower-case.
    private static func cleaned(_ text: String) throws(SecurityError) -> [Character] {
        guard text.unicodeScalars.count <= longestPaste else {
            throw fault(.tooLong, "the text is longer than any join code; copy the code alone")
        }
        let visible = text.unicodeScalars.filter { scalar in
            !scalar.properties.isWhitespace && scalar.properties.generalCategory != .format
        }
        let wrapping: Set<Character> = ["\"", "'", "`", "<", ">", "“", "”", "„", "‘", "’", "*", ".", ",", ";"]
        let characters = visible.map { Character($0) }.drop { wrapping.contains($0) }
        let end = characters.lastIndex { !wrapping.contains($0) }.map { $0 + 1 } ?? characters.startIndex
        return characters[..<end].map { $0.isASCII ? Character($0.lowercased()) : $0 }
    }

    /// Returns the characters after the prefix.
    private static func body(of characters: [Character]) throws(SecurityError) -> ArraySlice<Character> {
        guard characters.starts(with: word), !characters.isEmpty else {
            guard characters.isEmpty || !prefix.starts(with: characters) else { throw cutOffInPrefix }
            throw fault(.notACode, "this is not a join code; a join code begins with \(prefix)")
        }
        let rest = characters.dropFirst(word.count)
        let digits = rest.prefix { "0123456789".contains($0) }
        guard let separator = rest.dropFirst(digits.count).first else { throw cutOffInPrefix }
        guard separator == "-", let version = Int(String(digits)), (1...9999).contains(version) else {
            throw mistyped()
        }
        guard version <= JoinCode.version else { throw newerVersion(version) }
        return rest.dropFirst(digits.count + 1)
    }

    private static func digits(of body: ArraySlice<Character>) throws(SecurityError) -> [UInt8] {
        var digits: [UInt8] = []
        for character in body {
            guard let value = CrockfordBase32.value(character) else {
                throw mistyped("character \(prefix.count + digits.count + 1) is not one that codes have; ")
            }
            digits.append(value)
        }
        return digits
    }

    /// Returns the number of bytes of content and checksum.
    private static func length(_ digits: [UInt8]) throws(SecurityError) -> Int {
        guard digits.count >= 3 else { throw cutOffInPrefix }
        let length = Int(digits[0]) << 5 | Int(digits[1])
        guard check(digits[0], digits[1]) == digits[2],
            (checksumLength...JoinCode.byteLimit + checksumLength).contains(length)
        else { throw mistyped() }
        return length
    }

    private static func header(length: Int) -> String {
        let (high, low) = (UInt8(truncatingIfNeeded: length >> 5) & 31, UInt8(truncatingIfNeeded: length) & 31)
        return String([high, low, check(high, low)].map(CrockfordBase32.character))
    }

    /// Differs after any change of one of the two numbers.
    private static func check(_ high: UInt8, _ low: UInt8) -> UInt8 {
        rotated(high ^ rotated(low, by: 2), by: 1) ^ 21
    }

    private static func rotated(_ digit: UInt8, by count: UInt8) -> UInt8 {
        (digit << count | digit >> (5 - count)) & 31
    }

    private static func checksum(_ header: String, _ content: [UInt8]) -> [UInt8] {
        Array(SHA256.hash(Array((prefix + header.prefix(2)).utf8) + content).prefix(checksumLength))
    }

    private static var cutOffInPrefix: SecurityError {
        fault(.cutOff, "the code is cut off: only its beginning is there; copy all of it")
    }

    private static func mistyped(_ detail: String = "") -> SecurityError {
        fault(.mistyped, "the code is mistyped: \(detail)copy it again instead of typing it")
    }

    private static func newerVersion(_ version: Int) -> SecurityError {
        fault(
            .newerVersion,
            "this code needs a newer capctl: it has version \(version), and this program reads version "
                + "\(JoinCode.version); update Caprig on this machine")
    }

    private static func fault(_ code: SecurityError.Code, _ cause: String) -> SecurityError {
        SecurityError(code, "read", "join code", cause)
    }
}
