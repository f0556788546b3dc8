import CaptureModel
import RigProtocol

extension ResolvedRawPhoto {
    init(wire: WireResolvedRawPhoto) throws(WireError) {
        let reader = FieldReader("ResolvedRawPhoto")
        let dimensions = try reader.present(wire.hasDimensions ? wire.dimensions : nil, "dimensions")
        let thumbnail = try reader.present(
            wire.hasEmbeddedThumbnail ? wire.embeddedThumbnail : nil, "embedded_thumbnail")
        self.init(
            dimensions: try PixelSize(wire: dimensions), bits: Int(try reader.number(wire.bits, "bits", in: 8...16)),
            embeddedThumbnail: try PixelSize(wire: thumbnail))
    }

    var wire: WireResolvedRawPhoto {
        var wire = WireResolvedRawPhoto()
        wire.dimensions = dimensions.wire
        wire.bits = UInt32(clamping: bits)
        wire.embeddedThumbnail = embeddedThumbnail.wire
        return wire
    }
}
