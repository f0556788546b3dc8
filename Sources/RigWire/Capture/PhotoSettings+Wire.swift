public import CaptureModel
public import RigProtocol

extension PhotoSettings {
    public init(wire: WirePhotoSettings) throws(WireError) {
        let reader = FieldReader("PhotoSettings")
        self.init(quality: wire.hasQuality ? Int(try reader.number(wire.quality, "quality", in: 1...100)) : nil)
    }

    public var wire: WirePhotoSettings {
        var wire = WirePhotoSettings()
        if let quality { wire.quality = UInt32(clamping: quality) }
        return wire
    }
}

extension ResolvedPhotoSettings {
    public init(wire: WireResolvedPhotoSettings) throws(WireError) {
        let reader = FieldReader("ResolvedPhotoSettings")
        let format = try reader.present(wire.hasStreamFormat ? wire.streamFormat : nil, "stream_format")
        self.init(
            width: Int(try reader.number(wire.width, "width", in: WireLimits.pixels)),
            height: Int(try reader.number(wire.height, "height", in: WireLimits.pixels)),
            streamFormat: try VideoFormat(wire: format),
            isCameraEncoded: wire.cameraEncoded,
            orientation: try reader.orientation(wire.orientationDegrees))
    }

    public var wire: WireResolvedPhotoSettings {
        var wire = WireResolvedPhotoSettings()
        wire.width = UInt32(clamping: width)
        wire.height = UInt32(clamping: height)
        wire.streamFormat = streamFormat.wire
        wire.cameraEncoded = isCameraEncoded
        wire.orientationDegrees = UInt32(orientation.rawValue)
        return wire
    }
}
