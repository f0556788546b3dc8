import CameraKit
import CaptureModel
import LibAV

/// Puts the packets of a stream together to pictures. Pure.
///
/// The packets of one picture have one time. What belongs to a picture of H.264 or H.265 is known only when the first packet of the next one
/// is there; a JPEG is a packet.
struct AccessUnits {
    /// The bytes of a picture, and what is known of its time.
    struct Unit: Equatable {
        var bytes: [UInt8]
        /// In units of the stream.
        var time: Int64?
        /// By the camera's clock, since 1970.
        var wallClock: Duration?
        /// Of its first byte.
        var arrival: Arrival
        /// Whether no packet is missing before its end.
        var isWhole = true
    }

    /// A picture of more bytes is not whole.
    static let largest = 64 << 20

    private let isPacketWhole: Bool
    private var current: Unit?

    init(_ codec: MediaCodec) {
        isPacketWhole = codec == .motionJPEG
    }

    /// Adds the next packet.
    /// - Parameter isAfterLoss: Whether packets before it are missing.
    /// - Returns: The picture that is complete with it.
    mutating func add(_ packet: RTSPReader.Packet, arrival: Arrival, isAfterLoss: Bool) -> Unit? {
        if isAfterLoss { current?.isWhole = false }
        if var unit = current, packet.time == nil || packet.time == unit.time, !isPacketWhole {
            if unit.bytes.count + packet.bytes.count <= Self.largest {
                current = nil
                unit.bytes += packet.bytes
            } else {
                unit.isWhole = false
            }
            unit.wallClock = unit.wallClock ?? packet.wallClock
            current = unit
            return nil
        }
        let unit = Unit(
            bytes: packet.bytes, time: packet.time, wallClock: packet.wallClock, arrival: arrival,
            isWhole: !isAfterLoss || isPacketWhole)
        if isPacketWhole { return unit }
        defer { current = unit }
        return current
    }
}

extension RTSPReader.Packet {
    fileprivate var wallClock: Duration? { wallClockMicroseconds.map { .microseconds($0) } }
}

extension MediaCodec {
    /// Whether decoding can begin with a picture: it is complete in itself, or announces that those after it will be.
    /// - Parameter bytes: With a start code before each unit.
    func canBegin(with bytes: [UInt8]) -> Bool {
        var zeros = 0
        for (index, byte) in bytes.enumerated() {
            if byte == 1, zeros >= 2, index + 2 < bytes.count, isEntry(bytes[index + 1], bytes[index + 2]) {
                return true
            }
            zeros = byte == 0 ? zeros + 1 : 0
        }
        return self == .motionJPEG
    }

    private func isEntry(_ header: UInt8, _ next: UInt8) -> Bool {
        switch self {
        // A picture that resets everything, or a recovery point as the first supplemental message.
        case .h264: header & 0x1F == 5 || header & 0x1F == 6 && next == 6
        // The intra random access pictures.
        case .h265: (16...21).contains(header >> 1 & 0x3F)
        default: false
        }
    }
}
