internal import CaptureModel

/// One value of a document. It says what it must be where it is something else.
struct DocumentValue: SingleValueDecodingContainer {
    let tree: JSONTree
    let codingPath: [any CodingKey]

    init(_ tree: JSONTree, at path: [any CodingKey]) {
        self.tree = tree
        codingPath = path
    }

    var object: JSONObject {
        get throws {
            guard case .object(let object) = tree else { throw mistake("an object") }
            return object
        }
    }

    var list: [JSONTree] {
        get throws {
            guard case .list(let elements) = tree else { throw mistake("a list") }
            return elements
        }
    }

    func decodeNil() -> Bool { tree.isNull }

    func decode(_ type: Bool.Type) throws -> Bool {
        guard case .boolean(let value) = tree else { throw mistake("true or false") }
        return value
    }

    func decode(_ type: String.Type) throws -> String {
        guard case .text(let text) = tree else { throw mistake("text") }
        return text
    }

    func decode(_ type: Double.Type) throws -> Double {
        guard case .number(let digits) = tree, let value = Double(digits), value.isFinite else {
            throw mistake("a number")
        }
        return value
    }

    func decode(_ type: Float.Type) throws -> Float { Float(try decode(Double.self)) }

    func decode(_ type: Int.Type) throws -> Int { try integer() }
    func decode(_ type: Int8.Type) throws -> Int8 { try integer() }
    func decode(_ type: Int16.Type) throws -> Int16 { try integer() }
    func decode(_ type: Int32.Type) throws -> Int32 { try integer() }
    func decode(_ type: Int64.Type) throws -> Int64 { try integer(orText: true) }
    func decode(_ type: UInt.Type) throws -> UInt { try integer() }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try integer() }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try integer() }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try integer() }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try integer(orText: true) }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if let words = Self.words(of: type) {
            guard case .text(let word) = tree, words.contains(word) || Self.isCase(word, of: type) else {
                throw mistake("one of \(words.quoted)")
            }
        }
        if case .object(let object) = tree, let explaining = type as? any ExplainsUnknownMembers.Type {
            object.explaining = explaining
        }
        do {
            return try Value(from: DocumentDecoder.of(tree, at: codingPath))
        } catch let error as LocatedMistake {
            throw error
        } catch let mistake as InvalidDocument {
            throw LocatedMistake(codingPath, mistake)
        } catch let error as DecodingError {
            guard case .typeMismatch = error, case .object(let object) = tree, let choices = object.choices else {
                throw error
            }
            throw LocatedMistake(
                codingPath,
                "must have exactly one of the members \(choices.quoted), and has \(object.names.prefix(4).quoted)")
        } catch {
            throw LocatedMistake(codingPath, "\(error)")
        }
    }

    /// Whether a type that does not list all its words has this one, such as `movie.02`.
    private static func isCase(_ word: String, of type: any Any.Type) -> Bool {
        func isCase<Word: RawRepresentable>(_: Word.Type) -> Bool {
            (word as? Word.RawValue).flatMap(Word.init(rawValue:)) != nil
        }
        return (type as? any RawRepresentable.Type).map { isCase($0) } ?? false
    }

    /// The words of a closed set; nil of any other type.
    private static func words(of type: any Any.Type) -> [String]? {
        guard type is any RawRepresentable.Type, let cases = type as? any CaseIterable.Type else { return nil }
        func words<Word: CaseIterable>(_: Word.Type) -> [String] {
            Word.allCases.compactMap { ($0 as? any RawRepresentable)?.rawValue as? String }
        }
        let found = words(cases)
        return found.isEmpty ? nil : found
    }

    /// - Parameter isText: Whether decimal text will do too, since many writers of JSON keep only 53 bits of a number.
    private func integer<Number: FixedWidthInteger>(orText isText: Bool = false) throws -> Number {
        let value: Number? =
            switch tree {
            case .number(let digits): Number(digits) ?? Self.exact(Double(digits))
            case .text(let digits) where isText: Self.isDecimal(digits) ? Number(digits) : nil
            default: nil
            }
        guard let value else { throw mistake(Self.rule(for: Number.self)) }
        return value
    }

    private static func rule<Number: FixedWidthInteger>(for type: Number.Type) -> String {
        let kind = Number.isSigned ? "a whole number" : "a whole number that is not negative"
        return Number.bitWidth == 64 ? kind : "\(kind), \(Number.min) to \(Number.max)"
    }

    /// `1.0` and `1e3` are whole numbers too (JSON Schema, section 6.1.1), as far as a double is exact.
    private static func exact<Number: FixedWidthInteger>(_ value: Double?) -> Number? {
        guard let value, value.magnitude <= 0x1p53 else { return nil }
        return Number(exactly: value)
    }

    /// Whether digits are written as JSON writes a whole number.
    private static func isDecimal(_ text: String) -> Bool {
        let digits = text.utf8.first == UInt8(ascii: "-") ? text.utf8.dropFirst() : text.utf8[...]
        return digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            && (digits.first != UInt8(ascii: "0") || text == "0")
    }

    private func mistake(_ what: String) -> LocatedMistake {
        LocatedMistake(codingPath, "must be \(what), and is \(tree.summary)")
    }
}

extension Collection<String> {
    /// The words in a message.
    fileprivate var quoted: String { isEmpty ? "none" : map { "'\($0.excerpt)'" }.joined(separator: ", ") }
}
