/// An integer that may need 64 bits. In JSON it is a decimal string, because many readers keep only 53 bits of a number.
public struct Integer64: Hashable, Sendable, CustomStringConvertible {
    /// The digits, after a minus sign if it is negative.
    public let description: String

    public init(_ value: Int64) {
        description = String(value)
    }

    public init(_ value: UInt64) {
        description = String(value)
    }

    public init(_ value: Int) {
        description = String(value)
    }
}

extension Integer64: Encodable {
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
