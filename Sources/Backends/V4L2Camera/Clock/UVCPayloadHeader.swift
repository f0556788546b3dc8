import CaptureModel

/// The header of a payload in which a USB camera has sent a part of a frame, with what the driver has added (`struct uvc_meta_buf` of
/// linux/uvcvideo.h; USB Video Class 1.5, section 2.4.3.3).
struct UVCPayloadHeader: Hashable, Sendable {
    /// A reading of the camera's clock, made while it sent the frame (SCR).
    struct ClockReading: Hashable, Sendable {
        /// Ticks of the camera's clock. They wrap after 32 bits, of some cameras after 16.
        var ticks: UInt32
        /// The USB frame of 1 ms in which the clock was read, as the camera counts; 11 bits.
        var usbFrame: UInt16
    }

    /// When the driver processed the payload.
    var arrival: LocalTime
    /// The USB frame at `arrival`, as the host controller counts. Its 8 lowest bits are comparable to the camera's.
    var usbFrame: UInt16
    /// When the camera began to capture the frame, in ticks of its clock (PTS); nil if the header has no such time.
    var captureTicks: UInt32?
    /// nil if the header has none.
    var reading: ClockReading?
}

extension UVCPayloadHeader {
    /// The driver's time and USB frame, and the header's length and flags.
    private static let fixedByteCount = 12
    /// The driver's time and USB frame, which the header's length does not count.
    private static let addedByteCount = 10
    private static let (hasCaptureTicks, hasReading): (UInt8, UInt8) = (1 << 2, 1 << 3)
    /// So that sums cannot overflow.
    private static let latestNanoseconds = UInt64(1) << 62

    /// Reads a buffer of the format ``FourCC/payloadHeaders``, up to the first header that is cut.
    ///
    /// In this format, the driver copies the standard fields that the flags announce, and no others, whatever the length says.
    static func all(in bytes: [UInt8]) -> [UVCPayloadHeader] {
        var headers: [UVCPayloadHeader] = []
        var at = 0
        while bytes.count - at >= fixedByteCount {
            let flags = bytes[at + fixedByteCount - 1]
            let captureCount = flags & hasCaptureTicks == 0 ? 0 : 4
            let readingAt = at + fixedByteCount + captureCount
            let end = readingAt + (flags & hasReading == 0 ? 0 : 6)
            guard end <= bytes.count else { break }
            // What a camera's own length leaves out is not the camera's.
            let length = Int(bytes[at + addedByteCount])
            let nanoseconds = number(bytes, at, 8)
            if length >= end - at - addedByteCount, nanoseconds <= latestNanoseconds {
                headers.append(
                    UVCPayloadHeader(
                        arrival: LocalTime(nanoseconds: Int64(nanoseconds)),
                        usbFrame: UInt16(truncatingIfNeeded: number(bytes, at + 8, 2)),
                        captureTicks: captureCount == 0
                            ? nil : UInt32(truncatingIfNeeded: number(bytes, at + fixedByteCount, 4)),
                        reading: end == readingAt
                            ? nil
                            : ClockReading(
                                ticks: UInt32(truncatingIfNeeded: number(bytes, readingAt, 4)),
                                usbFrame: UInt16(truncatingIfNeeded: number(bytes, readingAt + 4, 2)) & 0x7ff)))
            }
            at = end
        }
        return headers
    }

    /// Little-endian: the camera's fields always are, the driver's on the machines that Caprig runs on.
    private static func number(_ bytes: [UInt8], _ start: Int, _ count: Int) -> UInt64 {
        (0..<count).reduce(0) { $0 | UInt64(bytes[start + $1]) << (8 * UInt64($1)) }
    }
}
