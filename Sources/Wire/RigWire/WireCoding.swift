internal import CaptureModel
public import SwiftProtobuf

/// The encoder and decoder of one channel's messages, with the channel's size limit.
public struct WireCoding: Hashable, Sendable {
    /// The most bytes of a protobuf part of this channel, in either direction.
    public let maximumByteCount: Int

    /// Control: 4 MiB, for a hello with its inventory.
    public static let control = WireCoding(maximumByteCount: 4 << 20)
    /// Clock: 256 bytes, so that a probe is always cheap.
    public static let clock = WireCoding(maximumByteCount: 256)
    /// Collect: 64 KiB for the protobuf part. The bytes of a chunk are a separate part (``maximumChunkByteCount``).
    public static let collect = WireCoding(maximumByteCount: 1 << 16)
    /// Client: 4 MiB, for manifests and replays.
    public static let client = WireCoding(maximumByteCount: 4 << 20)
    /// Feed: 64 KiB.
    public static let feed = WireCoding(maximumByteCount: 1 << 16)

    /// Join: 4 KiB, since anybody may connect.
    public static let join = WireCoding(maximumByteCount: 1 << 12)

    /// Frames: 4 KiB for the header of a frame.
    public static let frameHeader = WireCoding(maximumByteCount: 1 << 12)

    /// The most bytes of a file in one chunk of the collect channel.
    public static let maximumChunkByteCount = 1 << 20

    /// Encodes `message`.
    /// - Throws: ``WireError`` with `oversized` if the peer would refuse it.
    public func encode<M: SwiftProtobuf.Message>(_ message: M) throws(WireError) -> [UInt8] {
        let bytes: [UInt8]
        do {
            bytes = try message.serializedBytes()
        } catch {
            throw WireError(.malformed, message: Self.name(of: M.self), reason: "cannot be encoded: \(error)")
        }
        try checkSize(bytes.count, of: M.self)
        return bytes
    }

    /// Decodes a message from an untrusted peer. Fields that this version does not know are dropped.
    /// - Throws: ``WireError`` with `oversized` or `malformed`. The values of fields are not checked here.
    public func decode<M: SwiftProtobuf.Message>(_ type: M.Type, from bytes: [UInt8]) throws(WireError) -> M {
        try checkSize(bytes.count, of: type)
        var options = BinaryDecodingOptions()
        // The deepest message of the protocol has eight levels.
        options.messageDepthLimit = 16
        options.discardUnknownFields = true
        do {
            return try M(serializedBytes: bytes, options: options)
        } catch {
            throw WireError(.malformed, message: Self.name(of: type), reason: "is not a message of this type: \(error)")
        }
    }

    private func checkSize(_ count: Int, of type: any SwiftProtobuf.Message.Type) throws(WireError) {
        guard count <= maximumByteCount else {
            throw WireError(
                .oversized, message: Self.name(of: type),
                reason: "has \(count) bytes; at most \(maximumByteCount) are allowed")
        }
    }

    private static func name(of type: any SwiftProtobuf.Message.Type) -> String {
        type.protoMessageName.split(separator: ".").last.map(String.init) ?? type.protoMessageName
    }
}
