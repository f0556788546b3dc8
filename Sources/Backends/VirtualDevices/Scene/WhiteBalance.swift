/// What the camera's white balance does to the scene, as von Kries: a factor each on red and blue, and none on green.
///
/// The scene is lit by light of ``sceneTemperature``. A camera that is set to a higher temperature assumes bluer light
/// than there is, so its picture is too red. Integer arithmetic only, so that every machine makes the same bytes.
struct WhiteBalance: Hashable, Sendable {
    /// Factors in 1/256.
    private let red: Int
    private let blue: Int

    /// The temperature of the scene's light in kelvins, to which automatic white balance sets the camera.
    static let sceneTemperature: Int64 = 5500
    /// Changes nothing.
    static let neutral = WhiteBalance(temperature: sceneTemperature)

    /// Creates the balance of a camera that is set to this temperature in kelvins: red times temperature / 5500, blue
    /// times 5500 / temperature.
    init(temperature: Int64) {
        let (present, light) = (min(max(Int(clamping: temperature), 1000), 40_000), Int(Self.sceneTemperature))
        red = (present * 256 + light / 2) / light
        blue = (light * 256 + present / 2) / present
    }

    /// Changes a row of pixels, 4:2:2: two values of luma share one of each chroma.
    func apply(luma: inout [UInt8], cb: inout [UInt8], cr: inout [UInt8]) {
        guard self != .neutral else { return }
        for pair in 0..<min(cb.count, cr.count, luma.count / 2) {
            let chroma = (cb: Int(cb[pair]) - 128, cr: Int(cr[pair]) - 128)
            let (first, second) = (
                balanced(Int(luma[2 * pair]), chroma), balanced(Int(luma[2 * pair + 1]), chroma)
            )
            (luma[2 * pair], luma[2 * pair + 1]) = (Self.rounded(first.luma), Self.rounded(second.luma))
            // 1 / 1.772 and 1 / 1.402, of the mean of both pixels.
            let mean = (first.luma + second.luma) / 2
            cb[pair] = Self.rounded(Self.chroma((first.blue + second.blue) / 2 - mean, 36_984))
            cr[pair] = Self.rounded(Self.chroma((first.red + second.red) / 2 - mean, 46_745))
        }
    }

    /// Returns a pixel's luma, blue and red in 1/65536, by ITU-R BT.601 as JPEG has it.
    private func balanced(_ luma: Int, _ chroma: (cb: Int, cr: Int)) -> (luma: Int, blue: Int, red: Int) {
        let gray = luma << 16
        let green = Self.clamped(gray - 22_554 * chroma.cb - 46_802 * chroma.cr)
        let red = Self.clamped(Self.clamped(gray + 91_881 * chroma.cr) * red / 256)
        let blue = Self.clamped(Self.clamped(gray + 116_130 * chroma.cb) * blue / 256)
        return ((19_595 * (red >> 8) + 38_470 * (green >> 8) + 7471 * (blue >> 8)) >> 8, blue, red)
    }

    private static func chroma(_ difference: Int, _ factor: Int) -> Int { ((difference * factor) >> 16) + (128 << 16) }

    private static func clamped(_ value: Int) -> Int { min(max(value, 0), 255 << 16) }

    private static func rounded(_ value: Int) -> UInt8 { UInt8(clamping: (value + (1 << 15)) >> 16) }
}
