import CaptureModel

extension CaptureKey {
    /// 128 bits that are the same whenever this picture of the capture is made again: the shot's id, with the random half
    /// mixed with the device's name and, for other files than the first still, their kind (FNV-1a, 64 bits). A preview is
    /// the same image.
    func imageIdentifier(_ kind: AssetKind) -> [UInt8] {
        identifier(kind == .photo || kind == .preview ? "" : " \(kind.rawValue)")
    }

    /// What pairs the photo with its clip, the same whenever either is made again: a UUID of version 8 (RFC 9562), in
    /// upper case as Apple writes it.
    var contentIdentifier: String {
        var bytes = identifier(" content")
        bytes[6] = 0x80 | bytes[6] & 0x0f
        bytes[8] = 0x80 | bytes[8] & 0x3f
        let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }
        return [digits[0..<4], digits[4..<6], digits[6..<8], digits[8..<10], digits[10..<16]]
            .map { $0.joined() }.joined(separator: "-")
    }

    private func identifier(_ place: String) -> [UInt8] {
        let mixed = (device.description + place).utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) {
            ($0 ^ UInt64($1)) &* 0x0100_0000_01b3
        }
        var bytes = shot.bytes
        for index in 8..<16 {
            bytes[index] ^= UInt8(truncatingIfNeeded: mixed >> (8 * UInt64(index - 8)))
        }
        return bytes
    }
}
