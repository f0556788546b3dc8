import CaptureModel
import RigProtocol

extension LargerPhoto {
    init(wire: WireLargerPhoto) throws(WireError) {
        let reader = FieldReader("LargerPhoto")
        self.init(
            dimensions: try PixelSize(
                wire: try reader.present(wire.hasDimensions ? wire.dimensions : nil, "dimensions")),
            leadNanoseconds: try reader.number(wire.leadNs, "lead_ns", in: WireLimits.nonNegative))
    }

    var wire: WireLargerPhoto {
        var wire = WireLargerPhoto()
        wire.dimensions = dimensions.wire
        wire.leadNs = max(leadNanoseconds, 0)
        return wire
    }
}
