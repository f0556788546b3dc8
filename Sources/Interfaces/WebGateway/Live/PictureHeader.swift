internal import CaptureModel
internal import NIOCore
internal import RigWire

/// The header of a picture in a binary message of the WebSocket. docs/api/README.md has the table.
struct PictureHeader: Hashable, Sendable {
    static let version: UInt8 = 1
    static let byteCount = 32

    /// Pictures of the stream that its node or the network has dropped, up to this one; since the gateway reads it.
    var dropped: UInt64
    var width: UInt16
    var height: UInt16
    /// Degrees by which the picture must be turned clockwise to stand upright.
    var orientation: UInt16
    var isMirrored: Bool
    /// The middle of its exposure; nil while the node has no clock estimate.
    var midExposure: BoundedRigTime?

    init(_ header: FrameHeader, dropped: UInt64) {
        self.dropped = dropped
        width = UInt16(clamping: header.width)
        height = UInt16(clamping: header.height)
        orientation = UInt16(clamping: header.orientation.rawValue)
        isMirrored = header.isMirrored
        midExposure = header.rig?.midExposure
    }

    /// - Parameters:
    ///   - camera: The page's number of the camera.
    ///   - previous: ``dropped`` of the picture that the page got before; nil for the first one.
    func write(camera: UInt16, after previous: UInt64?, to buffer: inout ByteBuffer) {
        let new = previous.map { dropped &- $0 } ?? 0
        buffer.writeInteger(Self.version)
        buffer.writeInteger(UInt8(isMirrored ? 1 : 0) | (midExposure == nil ? 0 : 2))
        for value in [camera, width, height, orientation, 0] { buffer.writeInteger(value, endianness: .little) }
        buffer.writeInteger(UInt32(clamping: new), endianness: .little)
        buffer.writeInteger(midExposure?.time.nanoseconds ?? 0, endianness: .little)
        buffer.writeInteger(midExposure?.bound.nanoseconds ?? 0, endianness: .little)
    }
}
