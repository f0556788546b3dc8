/// A message of the bus that cannot be taken as it is.
public struct WireError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of fault, few enough to count messages by.
    public enum Code: String, Hashable, Sendable, CaseIterable {
        /// More bytes than the channel carries.
        case oversized
        /// The bytes are no message of this type.
        case malformed
        /// A required field is absent.
        case missing
        /// A field holds a value the protocol does not allow.
        case invalid
    }

    public var code: Code
    /// The message type, as `proto/` names it: `VideoFormat`.
    public var message: String
    /// The field, as `proto/` names it: `frame_interval_ns`; empty where the message as a whole is meant.
    public var field: String
    /// What is wrong with it and what is allowed.
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
