import CaptureModel

/// A time in which a stream gave no frames.
struct Interruption {
    /// What happened, without its subject.
    let reason: String
    /// Whether the stream was closed for it. Otherwise it stays open.
    let isOfStream: Bool
    /// When the last frame before it was exposed, or when everything stopped.
    let began: LocalTime
    /// When it was over; nil means at the first frame after `began`.
    var ended: LocalTime?
}
