public import CaptureModel
public import RigProtocol

extension SpooledCapture {
    public init(wire: WireSpooledCapture) throws(WireError) {
        let reader = FieldReader("SpooledCapture")
        self.init(
            key: try CaptureKey(wire: try reader.present(wire.hasCapture ? wire.capture : nil, "capture")),
            files: Int(wire.files),
            byteCount: try reader.number(wire.byteCount, "byte_count", in: WireLimits.nonNegative),
            state: try reader.word(wire.state, "state", as: State.self))
    }

    public var wire: WireSpooledCapture {
        var wire = WireSpooledCapture()
        wire.capture = key.wire
        wire.files = UInt32(clamping: files)
        wire.byteCount = byteCount
        wire.state = state.rawValue
        return wire
    }
}

extension SpoolListing {
    public init(wire: WireSpoolListing) throws(WireError) {
        self.init(captures: try FieldReader("SpoolListing").captures(wire.captures), hasMore: wire.hasMore_p)
    }

    public var wire: WireSpoolListing {
        var wire = WireSpoolListing()
        wire.captures = captures.map(\.wire)
        wire.hasMore_p = hasMore
        return wire
    }
}

extension FieldReader {
    /// Returns the captures of a spool.
    func captures(_ wire: [WireSpooledCapture]) throws(WireError) -> [SpooledCapture] {
        try list(wire, "captures", limit: WireLimits.inventory)
            .map { (capture) throws(WireError) in try SpooledCapture(wire: capture) }
    }
}
