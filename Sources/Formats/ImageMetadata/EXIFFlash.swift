/// Whether and why an image was lit; the raw value is that of Exif tag 0x9209.
public enum EXIFFlash: UInt16, Sendable, CaseIterable {
    /// Fired, as was asked for.
    case fired = 0x09
    /// Not fired, as was asked for.
    case suppressed = 0x10
    /// Not fired, as the light needed none.
    case autoNotFired = 0x18
    /// Fired, as the light needed it.
    case autoFired = 0x19
}
