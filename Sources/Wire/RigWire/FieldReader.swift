/// Takes the fields of one message of a peer, each checked, and names the one that is wrong.
///
/// Nothing a peer sends passes on unchecked: numbers have a range, texts a length and an alphabet, lists a length.
public struct FieldReader: Sendable {
    /// The message type, as `proto/` names it.
    public let message: String

    public init(_ message: String) {
        self.message = message
    }

    /// A field that must be there.
    /// - Parameter value: nil where the message does not have it.
    public func present<Value>(_ value: Value?, _ field: String) throws(WireError) -> Value {
        guard let value else {
            throw WireError(.missing, message: message, field: field, reason: "is required and absent")
        }
        return value
    }

    /// A number within `range`.
    public func number(
        _ value: some FixedWidthInteger, _ field: String, in range: ClosedRange<Int64>
    ) throws(WireError) -> Int64 {
        guard let number = Int64(exactly: value), range.contains(number) else {
            throw invalid(field, "is \(value); allowed are \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// A count that any signed number can hold.
    public func count(_ value: UInt64, _ field: String) throws(WireError) -> UInt64 {
        UInt64(try number(value, field, in: WireLimits.nonNegative))
    }

    /// A list of at most `limit` elements.
    public func list<Element>(_ values: [Element], _ field: String, limit: Int) throws(WireError) -> [Element] {
        guard values.count <= limit else {
            throw invalid(field, "has \(values.count) entries; at most \(limit) are allowed")
        }
        return values
    }

    /// A value of a closed set of words.
    public func word<Value: RawRepresentable & CaseIterable>(
        _ text: String, _ field: String, as type: Value.Type
    ) throws(WireError) -> Value where Value.RawValue == String {
        guard let value = Value(rawValue: text) else {
            let allowed = type.allCases.map(\.rawValue).joined(separator: ", ")
            throw invalid(field, "is '\(text.sentence(limit: WireLimits.wordByteCount))'; allowed are \(allowed)")
        }
        return value
    }

    /// A value of an open set of words: 1 to 64 bytes without spaces and control characters.
    public func word(_ text: String, _ field: String) throws(WireError) -> String {
        let isWord = text.unicodeScalars.allSatisfy { !$0.isControl && !$0.properties.isWhitespace }
        guard isWord, (1...WireLimits.wordByteCount).contains(text.utf8.count) else {
            throw invalid(
                field, "must have 1 to \(WireLimits.wordByteCount) bytes without spaces and control characters")
        }
        return text
    }

    /// A fault of one field.
    public func invalid(_ field: String, _ reason: String) -> WireError {
        WireError(.invalid, message: message, field: field, reason: reason)
    }
}
