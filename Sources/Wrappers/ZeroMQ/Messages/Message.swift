internal import CZeroMQ
internal import Glibc

/// A message: parts that arrive together or not at all.
public struct Message: Sendable {
    /// The parts in order. A message without parts is sent as one empty part.
    public var parts: [MessagePart]

    public init(_ parts: [MessagePart]) { self.parts = parts }

    /// Creates a message with one part for each array.
    public init(_ bytes: [UInt8]...) { parts = bytes.map(MessagePart.init) }

    /// The size of all parts together, in bytes.
    public var byteCount: Int { parts.reduce(0) { $0 + $1.count } }
}
