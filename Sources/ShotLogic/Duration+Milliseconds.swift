import CaptureModel

extension Duration {
    /// Milliseconds with one decimal, for messages.
    var milliseconds: String {
        let tenths = nanoseconds / 100_000
        return "\(tenths < 0 ? "-" : "")\((tenths / 10).magnitude).\((tenths % 10).magnitude)"
    }
}
