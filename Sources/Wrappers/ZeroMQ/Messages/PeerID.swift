/// A router's name for one connection of a peer: ZeroMQ's routing id.
///
/// libzmq makes it when the peer connects, and a reconnected peer gets another, unless the peer chose one itself. It is
/// no proof of identity.
public struct PeerID: Hashable, Sendable {
    /// 1 to 255 bytes.
    public let bytes: [UInt8]

    public init(bytes: [UInt8]) { self.bytes = bytes }
}

extension PeerID: CustomStringConvertible {
    /// The bytes in hexadecimal.
    public var description: String {
        bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }
}
