import CaptureModel

/// A time in which a stream gave no frames while a capture was armed.
struct Interruption {
    /// What happened, without its subject.
    let reason: String
    /// When the last frame before it was exposed, or when nothing ran any more.
    let began: LocalTime
    /// When it was over; nil: with the first frame after `began`.
    var ended: LocalTime?
}
