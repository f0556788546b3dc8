import SwiftProtobuf

/// A message of the bus that is not valid.
public struct WireError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of fault, few enough to count messages by kind.
    public enum Code: String, Hashable, Sendable, CaseIterable {
        /// More bytes than the channel allows.
        case oversized
        /// The bytes are not a message of this type.
        case malformed
        /// A required field is absent.
        case missing
        /// A field has a value that the protocol does not allow.
        case invalid
    }

    public var code: Code
    /// The message type, as in `proto/`: `VideoFormat`.
    public var message: String
    /// The field, as in `proto/`: `frame_interval_ns`; empty for the complete message.
    public var field: String
    /// What is wrong and what is allowed.
    public var reason: String

    public init(_ code: Code, message: String, field: String = "", reason: String) {
        self.code = code
        self.message = message
        self.field = field
        self.reason = reason
    }

    public var description: String {
        "message \(message)\(field.isEmpty ? "" : ", field \(field)"): \(reason)"
    }
}
