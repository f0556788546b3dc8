import RigWire
import SwiftProtobuf

/// Checks that a value a peer sent arrives unchanged when it is passed on.
enum WireAgreement {
    /// - Parameters:
    ///   - message: As a peer sent it; where `read` refuses it there is nothing to check.
    ///   - write: The value as a message.
    @discardableResult
    static func check<M: SwiftProtobuf.Message, Value: Equatable>(
        _ message: M, _ read: (M) throws -> Value, _ write: (Value) -> M
    ) throws -> Value? {
        guard let value = try? read(message) else { return nil }
        let bytes = try WireCoding.client.encode(write(value))
        let again = try read(try WireCoding.client.decode(M.self, from: bytes))
        try FuzzFinding.unless(again == value, "\(value) is passed on as \(again)")
        return value
    }

    /// Checks that a document is passed on as it was read.
    static func check<Document: WireDocument & Equatable>(_ type: Document.Type, _ text: String) throws {
        guard let value = try? Document(wire: text) else { return }
        let again = try Document(wire: value.wire)
        try FuzzFinding.unless(again == value, "\(value) is passed on as \(again)")
    }

    /// The message in the bytes of a peer; nil where they are none.
    static func message<M: SwiftProtobuf.Message>(_ type: M.Type, _ coding: WireCoding, _ bytes: [UInt8]) -> M? {
        try? coding.decode(type, from: bytes)
    }
}
