import CaptureModel
import RigProtocol

extension LivePhotoMovie {
    init(wire: WireLivePhotoMovie) throws(WireError) {
        let reader = FieldReader("LivePhotoMovie")
        self.init(
            dimensions: try PixelSize(
                wire: try reader.present(wire.hasDimensions ? wire.dimensions : nil, "dimensions")),
            preRollNanoseconds: try reader.number(wire.preRollNs, "pre_roll_ns", in: WireLimits.nonNegative),
            postRollNanoseconds: try reader.number(wire.postRollNs, "post_roll_ns", in: WireLimits.nonNegative),
            hasSound: wire.hasSound_p,
            codec: wire.codec.isEmpty ? nil : try reader.word(wire.codec, "codec", as: ClipCodec.self),
            motionPhoto: wire.motionPhoto ? true : nil)
    }

    var wire: WireLivePhotoMovie {
        var wire = WireLivePhotoMovie()
        wire.dimensions = dimensions.wire
        wire.preRollNs = preRollNanoseconds
        wire.postRollNs = postRollNanoseconds
        wire.hasSound_p = hasSound
        if let codec { wire.codec = codec.rawValue }
        wire.motionPhoto = motionPhoto ?? false
        return wire
    }
}
