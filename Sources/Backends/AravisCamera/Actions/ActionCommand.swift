/// An action command of GigE Vision 2.0 (`ACTION_CMD`), scheduled for an instant of the camera's clock, with an acknowledgement.
///
/// All numbers are big-endian:
///
/// | bytes | value |
/// |---|---|
/// | 0 | 0x42, the key of the control protocol |
/// | 1 | flags: 0x80, a scheduled time follows; 0x01, an acknowledgement is required |
/// | 2, 3 | 0x0100, `ACTION_CMD` |
/// | 4, 5 | 20, the bytes that follow the header |
/// | 6, 7 | the id of the request, which is not 0. A repeated request has the same |
/// | 8 to 11 | device key |
/// | 12 to 15 | group key |
/// | 16 to 19 | group mask |
/// | 20 to 27 | when to act, in ticks of the camera's clock: nanoseconds, if it follows PTP |
///
/// A camera acts if device key and group key are its own, and a bit of the mask is set in its own mask.
struct ActionCommand: Hashable, Sendable {
    /// Which cameras act, and with which of their signals.
    struct Keys: Hashable, Sendable {
        var device: UInt32
        var group: UInt32
        var mask: UInt32

        /// What `caprig-aravis` sets its camera to. Every command is sent to one camera only.
        static let own = Keys(device: 0x4361_7072, group: 1, mask: 1)

        /// As the helper reads them.
        var text: String { "\(device):\(group):\(mask)" }
    }

    var keys = Keys.own
    /// Not 0.
    var request: UInt16
    var time: UInt64

    var bytes: [UInt8] {
        var bytes: [UInt8] = [0x42, 0x81, 0x01, 0x00, 0x00, 0x14]
        bytes += request.bigEndianBytes
        for key in [keys.device, keys.group, keys.mask] { bytes += key.bigEndianBytes }
        return bytes + time.bigEndianBytes
    }
}

extension FixedWidthInteger where Self: UnsignedInteger {
    fileprivate var bigEndianBytes: [UInt8] {
        (0..<Self.bitWidth / 8).reversed().map { UInt8(truncatingIfNeeded: self >> ($0 * 8)) }
    }
}

extension [UInt8] {
    /// Two digits for each byte.
    var hexadecimal: String {
        map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }

    /// - Returns: nil if the text is not two digits for each byte.
    init?(hexadecimal text: some StringProtocol) {
        let digits = Array(text.utf8)
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        for start in stride(from: 0, to: digits.count, by: 2) {
            let pair = String(decoding: digits[start..<start + 2], as: UTF8.self)
            guard pair.first != "+", pair.first != "-", let byte = UInt8(pair, radix: 16) else { return nil }
            bytes.append(byte)
        }
        self = bytes
    }
}
