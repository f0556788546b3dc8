internal import CaptureModel
internal import RigProtocol

extension PixelSize {
    init(wire: WirePixelSize) throws(WireError) {
        let reader = FieldReader("PixelSize")
        self.init(
            width: Int(try reader.number(wire.width, "width", in: WireLimits.pixels)),
            height: Int(try reader.number(wire.height, "height", in: WireLimits.pixels)))
    }

    var wire: WirePixelSize {
        var wire = WirePixelSize()
        wire.width = UInt32(clamping: width)
        wire.height = UInt32(clamping: height)
        return wire
    }
}
