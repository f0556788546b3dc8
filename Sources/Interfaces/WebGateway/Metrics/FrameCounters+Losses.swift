internal import CaptureModel

extension FrameCounters {
    /// The counts of frames that were lost, by the reason's name in metrics.
    static let losses: [(reason: String, count: @Sendable (FrameCounters) -> UInt64)] = [
        ("device", \.droppedByDevice), ("erroneous", \.flaggedErroneous), ("torn", \.torn), ("node", \.droppedByNode),
    ]

    /// All frames that were lost since the camera's session began. Wraps around.
    var lost: UInt64 { Self.losses.reduce(0) { $0 &+ $1.count(self) } }
}
