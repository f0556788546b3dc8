public import CaptureModel
public import RigProtocol

extension BusLibrary {
    public init(wire: WireBusLibrary) throws(WireError) {
        let reader = FieldReader("BusLibrary")
        self.init(version: try reader.word(wire.version, "version"), isHardened: wire.hardened)
    }

    public var wire: WireBusLibrary {
        var wire = WireBusLibrary()
        wire.version = version
        wire.hardened = isHardened
        return wire
    }
}
