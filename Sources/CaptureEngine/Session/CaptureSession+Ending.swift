public import CaptureModel

extension CaptureSession {
    /// The captures that are armed or fired and have no outcome yet, in order.
    public var capturesUnderWay: [CaptureKey] { pending.keys.sorted() }
}
