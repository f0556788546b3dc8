/// The four characters that name a pixel format, the first in the lowest byte.
public struct FourCC: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    public var rawValue: UInt32

    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// The code of the first four ASCII characters of `text`; missing ones are spaces.
    public init(_ text: String) {
        let bytes = Array(text.utf8.prefix(4))
        rawValue = (0..<4).reduce(0) { code, place in
            code | UInt32(place < bytes.count ? bytes[place] : UInt8(ascii: " ")) << (8 * UInt32(place))
        }
    }

    /// Every frame a JPEG image of its own.
    public static let mjpeg = FourCC("MJPG")
    /// JPEG images as some drivers name them.
    public static let jpeg = FourCC("JPEG")
    /// Packed YCbCr 4:2:2, bytes Y0 Cb Y1 Cr.
    public static let yuyv = FourCC("YUYV")

    /// The big-endian variant (`v4l2_fourcc_be`).
    public var bigEndian: FourCC { FourCC(rawValue: rawValue | 1 << 31) }

    /// The four characters, as `v4l2-ctl` writes them: with `-BE` behind big-endian formats, which bit 31 marks.
    /// Unprintable characters are shown as `?`.
    public var description: String {
        let characters = (0..<4).map { place -> UInt8 in
            let byte = UInt8(truncatingIfNeeded: (rawValue & ~(1 << 31)) >> (8 * UInt32(place)))
            return (0x20...0x7e).contains(byte) ? byte : UInt8(ascii: "?")
        }
        return String(decoding: characters, as: UTF8.self) + (rawValue >> 31 == 1 ? "-BE" : "")
    }
}
