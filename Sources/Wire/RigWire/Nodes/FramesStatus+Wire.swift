public import CaptureModel
public import RigProtocol

extension FramesStatus {
    public init(wire: WireFramesStatus) throws(WireError) {
        let reader = FieldReader("FramesStatus")
        guard (1...253).contains(wire.host.utf8.count), wire.host.utf8.allSatisfy(Self.isOfHost) else {
            throw reader.invalid("host", "must have 1 to 253 of a-z, A-Z, 0-9, '.', '-', '_', ':' and '%'")
        }
        self.init(
            host: wire.host, port: UInt16(clamping: try reader.number(wire.port, "port", in: 1...65_535)),
            watched: Int(wire.watched), published: try reader.count(wire.published, "published"),
            publishedBytes: try reader.count(wire.publishedBytes, "published_bytes"),
            scaled: try reader.count(wire.scaled, "scaled"),
            refusedConnections: try reader.count(wire.refusedConnections, "refused_connections"))
    }

    public var wire: WireFramesStatus {
        var wire = WireFramesStatus()
        wire.host = host
        wire.port = UInt32(port)
        wire.watched = UInt32(clamping: watched)
        wire.published = published
        wire.publishedBytes = publishedBytes
        wire.scaled = scaled
        wire.refusedConnections = refusedConnections
        return wire
    }

    private static func isOfHost(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || ".-_:%".utf8.contains(byte)
    }
}
