/// How much longer a camera's frame interval was, throughout a recording, than its format states. The rig's clock measures
/// all cameras, so that two of them drift apart by the difference.
public struct FrameDrift: Hashable, Sendable {
    /// Parts per million; negative if frames came more quickly than stated.
    public var partsPerMillion: Double
    /// Its largest error, parts per million.
    public var boundPartsPerMillion: Double

    public init(partsPerMillion: Double, boundPartsPerMillion: Double) {
        self.partsPerMillion = partsPerMillion
        self.boundPartsPerMillion = boundPartsPerMillion
    }

    /// - Parameter interval: The frame interval that the camera's format states.
    /// - Returns: nil if nothing can be measured, or the frames came at another rate: a twentieth from what is stated.
    public init?(of pace: FramePace, interval: Duration) {
        let stated = Double(interval.nanoseconds) * Double(pace.intervalCount)
        guard stated > 0, pace.boundNanoseconds >= 0 else { return nil }
        let excess = Double(pace.spanNanoseconds) / stated - 1
        guard excess.magnitude < 0.05 else { return nil }
        self.init(
            partsPerMillion: excess * 1_000_000,
            boundPartsPerMillion: Double(pace.boundNanoseconds) / stated * 1_000_000)
    }
}

extension Capture {
    /// How much the camera drifted during its recording; nil without a movie whose frames came steadily.
    public var drift: FrameDrift? {
        guard let pace = movie?.pace, credibleTiming != nil, let format = resolved?.streamFormat else { return nil }
        return FrameDrift(of: pace, interval: format.frameInterval)
    }
}
