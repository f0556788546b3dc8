import CaptureModel
import DNG

extension RawColour {
    /// What samples of so many bits mean, as far as the configuration says; else what is true of a camera of which nothing
    /// is known.
    /// - Throws: `unsupportedSettings` where the levels are none of samples of so many bits.
    init(_ settings: RawSettings, bits: Int) throws(CaptureProblem) {
        let largest = UInt16.max >> UInt16(16 - min(max(bits, 1), 16))
        let (black, white) = (settings.blackLevel ?? 0, settings.whiteLevel ?? largest)
        guard black < white, white <= largest else {
            throw CaptureProblem(
                .unsupportedSettings,
                "samples of \(bits) bits reach to \(largest), and `blackLevel` \(black) and `whiteLevel` \(white) of the device's configuration do not lie one below the other within that"
            )
        }
        self.init(
            colorMatrix: settings.colorMatrix ?? Self.sRGB, asShotNeutral: settings.asShotNeutral ?? [1, 1, 1],
            blackLevel: black, whiteLevel: white)
    }
}
