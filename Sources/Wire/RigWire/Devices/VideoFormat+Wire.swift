public import CaptureModel
public import RigProtocol

extension VideoFormat {
    public init(wire: WireVideoFormat) throws(WireError) {
        let reader = FieldReader("VideoFormat")
        let interval = try reader.number(wire.frameIntervalNs, "frame_interval_ns", in: WireLimits.frameInterval)
        self.init(
            pixelFormat: try reader.word(wire.pixelFormat, "pixel_format", as: PixelFormat.self),
            width: Int(try reader.number(wire.width, "width", in: WireLimits.pixels)),
            height: Int(try reader.number(wire.height, "height", in: WireLimits.pixels)),
            frameInterval: .nanoseconds(interval))
    }

    public var wire: WireVideoFormat {
        var wire = WireVideoFormat()
        wire.pixelFormat = pixelFormat.rawValue
        wire.width = UInt32(clamping: width)
        wire.height = UInt32(clamping: height)
        wire.frameIntervalNs = frameIntervalNanoseconds
        return wire
    }
}
