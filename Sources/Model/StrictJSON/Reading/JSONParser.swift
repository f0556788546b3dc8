internal import CaptureModel

/// Parses one JSON text (RFC 8259). Names must be unique in an object, and text must be valid UTF-8 without lone surrogates.
struct JSONParser {
    private let bytes: [UInt8]
    private let deepest: Int
    private var position = 0
    /// The members and elements that are being parsed.
    private var path: [PathStep] = []

    private enum PathStep {
        case member(String)
        case element(Int)
    }

    /// - Parameter deepest: How many objects and arrays may be inside each other.
    init(_ bytes: [UInt8], deepest: Int) {
        self.bytes = bytes
        self.deepest = deepest
    }

    /// Returns the text's only value.
    mutating func document() throws(InvalidDocument) -> JSONTree {
        let tree = try value()
        skipSpace()
        guard position == bytes.count else { throw malformed("there is more after the end of the document") }
        return tree
    }

    private mutating func value() throws(InvalidDocument) -> JSONTree {
        skipSpace()
        guard let byte = next else { throw malformed("a value is expected") }
        switch byte {
        case UInt8(ascii: "{"): return try object()
        case UInt8(ascii: "["): return try list()
        case UInt8(ascii: "\""): return .text(try text())
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try number())
        case UInt8(ascii: "t"): return try literal("true", .boolean(true))
        case UInt8(ascii: "f"): return try literal("false", .boolean(false))
        case UInt8(ascii: "n"): return try literal("null", .null)
        default: throw malformed("a value is expected")
        }
    }

    private mutating func object() throws(InvalidDocument) -> JSONTree {
        var (members, names) = ([String: JSONTree](), [String]())
        try enter()
        skipSpace()
        if take("}") {
            return .object(JSONObject(members, names: names))
        }
        repeat {
            skipSpace()
            guard next == UInt8(ascii: "\"") else { throw malformed("a member's name is expected") }
            let name = try text()
            skipSpace()
            guard take(":") else { throw malformed("':' is expected") }
            path.append(.member(name))
            guard members[name] == nil else { throw InvalidDocument(place, "occurs twice in its object") }
            members[name] = try value()
            path.removeLast()
            names.append(name)
            skipSpace()
        } while take(",")
        guard take("}") else { throw malformed("',' or '}' is expected") }
        return .object(JSONObject(members, names: names))
    }

    private mutating func list() throws(InvalidDocument) -> JSONTree {
        var elements: [JSONTree] = []
        try enter()
        skipSpace()
        if take("]") { return .list(elements) }
        repeat {
            path.append(.element(elements.count))
            elements.append(try value())
            path.removeLast()
            skipSpace()
        } while take(",")
        guard take("]") else { throw malformed("',' or ']' is expected") }
        return .list(elements)
    }

    /// Begins an object or a list.
    private mutating func enter() throws(InvalidDocument) {
        guard path.count < deepest else {
            throw InvalidDocument(place, "is more than \(deepest) objects and lists deep")
        }
        position += 1
    }

    private mutating func literal(_ word: StaticString, _ value: JSONTree) throws(InvalidDocument) -> JSONTree {
        for expected in "\(word)".utf8 {
            guard next == expected else { throw malformed("'\(word)' is expected") }
            position += 1
        }
        return value
    }

    private mutating func number() throws(InvalidDocument) -> String {
        let start = position
        _ = take("-")
        if !take("0") { try digits() }
        if take(".") { try digits() }
        if take("e") || take("E") {
            if !take("+") { _ = take("-") }
            try digits()
        }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private mutating func digits() throws(InvalidDocument) {
        let start = position
        while let digit = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) { position += 1 }
        guard position > start else { throw malformed("a digit is expected") }
    }

    private mutating func text() throws(InvalidDocument) -> String {
        position += 1
        var (content, hasEscape, start) = ([UInt8](), false, position)
        while let byte = next, byte != UInt8(ascii: "\"") {
            guard byte >= 0x20 else { throw malformed("a control character in a text must be escaped") }
            position += 1
            guard byte == UInt8(ascii: "\\") else { continue }
            hasEscape = true
            content += bytes[start..<position - 1]
            content += "\(try escape())".utf8
            start = position
        }
        let end = position
        guard take("\"") else { throw malformed("a text has no end") }
        let raw = hasEscape ? content + bytes[start..<end] : Array(bytes[start..<end])
        guard let text = String(validating: raw, as: UTF8.self) else { throw malformed("a text is not valid UTF-8") }
        return text
    }

    /// Reads what follows a backslash.
    private mutating func escape() throws(InvalidDocument) -> Unicode.Scalar {
        guard let byte = next else { throw malformed("a text has no end") }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try scalar()
        default: throw malformed("there is no such escape")
        }
    }

    /// Reads the digits of `\uXXXX`, and the second half of a surrogate pair.
    private mutating func scalar() throws(InvalidDocument) -> Unicode.Scalar {
        let first = try unit()
        if let scalar = Unicode.Scalar(UInt32(first)) { return scalar }
        guard UTF16.isLeadSurrogate(first), take("\\"), take("u") else { throw malformed("half of a surrogate pair") }
        let second = try unit()
        guard UTF16.isTrailSurrogate(second),
            let scalar = Unicode.Scalar(0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00))
        else { throw malformed("half of a surrogate pair") }
        return scalar
    }

    private mutating func unit() throws(InvalidDocument) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw malformed("four hexadecimal digits are expected")
            }
            position += 1
            unit = unit << 4 | UInt16(digit)
        }
        return unit
    }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func skipSpace() {
        while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { position += 1 }
    }

    /// The path of what is being parsed.
    private var place: String {
        path.reduce("") { place, step in
            switch step {
            case .member(let name): place + (place.isEmpty ? "" : ".") + name.excerpt
            case .element(let index): place + "[\(index)]"
            }
        }
    }

    private func malformed(_ reason: String) -> InvalidDocument {
        InvalidDocument(place, "is not JSON: \(reason), at byte \(position)")
    }
}
