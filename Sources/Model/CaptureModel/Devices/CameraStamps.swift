/// What is known of a camera's timestamps: what they are, and how they are corrected.
public struct CameraStamps: Hashable, Codable, Sendable {
    public var origin: StampOrigin
    /// As configured; nil for a camera whose stamps need none.
    public var correction: StampCorrection?

    public init(_ origin: StampOrigin, correction: StampCorrection? = nil) {
        self.origin = origin
        self.correction = correction
    }
}
