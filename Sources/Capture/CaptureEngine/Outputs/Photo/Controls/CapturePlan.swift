import CaptureModel

/// How a camera is set for a capture: the values for each of its pictures, and those that undo them all.
struct CapturePlan: Hashable, Sendable {
    /// One for each picture; the first is set ahead of T, each other one after the picture before it.
    var steps: [[String: Int64]]
    /// The controls as they stood when the capture was armed.
    var undo: [String: Int64]

    /// A frame whose exposure began so many frame intervals after the controls were set is taken to have them: a device
    /// may have planned the next frame already, and one more is a margin.
    static let settlingFrames = 2
    /// How long setting controls may take: USB cameras answer within some milliseconds.
    static let settingTime = Duration.milliseconds(100)

    /// How long before T the first setting begins: it must have settled a frame interval before T, so that the frame of T
    /// may come early.
    static func lead(interval: Duration) -> Duration {
        interval * (settlingFrames + 1) + settingTime
    }

    /// - Parameter isLit: Whether the light is on for all pictures.
    /// - Throws: `unsupportedSettings`.
    init(
        _ settings: PhotoSettings, isLit: Bool, interval: Duration, controls: CaptureControls
    ) throws(CaptureProblem) {
        // Also where the scene is bright: whether a camera has a light is not to depend on the weather.
        let light = settings.flash == .on || settings.flash == .auto ? try controls.lit() : [:]
        steps = []
        for step in settings.bracket ?? [BracketStep()] {
            let values = try controls.values(of: step, interval: interval)
            steps.append(isLit ? values.merging(light) { $1 } : values)
        }
        undo = controls.undoing(steps.flatMap(\.keys))
    }

    /// Whether anything is set at all.
    var isNeeded: Bool { steps.contains { !$0.isEmpty } }
}
