import CameraSettings
import CaptureModel

/// The camera settings for a capture: the values for each of its pictures, and those that undo them all.
struct CapturePlan: Hashable, Sendable {
    /// One for each picture. The first is set before T, each later one after the previous picture.
    var steps: [[String: Int64]]
    /// The controls when the capture was armed.
    var undo: [String: Int64]
    /// How late the camera acts, if that was measured for what the settings set.
    var delay: FrameDelay?

    /// Number of frame intervals after the controls were set before which no frame is taken without evidence that it
    /// has them: a device may have already planned the next frame, and one more is a margin.
    static let settlingFrames = 2
    /// The same if the instant of the picture leaves the time. Cameras that act 5 to 6 frames late are known.
    static let lateFrames = 10
    /// How long setting controls may take. USB cameras answer within a few milliseconds.
    static let settingTime = Duration.milliseconds(100)

    /// Returns how long before T the first setting must begin. It must have come into the pictures a frame interval
    /// before T, so that the frame of T may be early.
    static func lead(interval: Duration, delay: FrameDelay?) -> Duration {
        interval * (max(settlingFrames, (delay?.most ?? 0) + 1) + 1) + settingTime
    }

    /// Returns how long before T the first setting begins if T is so far ahead: without a measured delay, earlier than
    /// it must, since the camera may act late.
    static func usualLead(interval: Duration, delay: FrameDelay?) -> Duration {
        delay == nil ? interval * (lateFrames + 1) + settingTime : lead(interval: interval, delay: delay)
    }

    /// Returns how late a camera acts on what the settings set; nil if that was not measured.
    /// - Parameter delays: Those of the camera's controls, by name.
    static func delay(of settings: PhotoSettings, _ delays: [String: FrameDelay]) -> FrameDelay? {
        var needed: [FrameDelay?] = []
        if settings.flash == .on || settings.flash == .auto {
            needed.append(CaptureControls.lights.lazy.compactMap { delays[$0] }.first)
        }
        for step in settings.bracket ?? [] {
            if step.exposureNanoseconds != nil {
                needed.append(delays[CaptureControls.exposure])
                if let mode = delays[CaptureControls.autoExposure] { needed.append(mode) }
            }
            if step.gain != nil { needed.append(delays[CaptureControls.gain]) }
        }
        let known = needed.compactMap(\.self)
        guard known.count == needed.count, let fewest = known.map(\.fewest).min(), let most = known.map(\.most).max()
        else { return nil }
        return FrameDelay(fewest: fewest, most: most)
    }

    /// - Parameter isLit: Whether the light is on for all pictures.
    /// - Throws: `unsupportedSettings`.
    init(
        _ settings: PhotoSettings, isLit: Bool, interval: Duration, controls: CaptureControls,
        delays: [String: FrameDelay] = [:]
    ) throws(RigProblem) {
        delay = Self.delay(of: settings, delays)
        // Also if the scene is bright: whether a camera is refused for lack of a light must not depend on the scene.
        let light = settings.flash == .on || settings.flash == .auto ? try controls.lit() : [:]
        steps = []
        for step in settings.bracket ?? [BracketStep()] {
            let values = try controls.values(of: step, interval: interval)
            steps.append(isLit ? values.merging(light) { $1 } : values)
        }
        undo = controls.undoing(steps.flatMap(\.keys))
    }

    /// Whether any control is set.
    var isNeeded: Bool { steps.contains { !$0.isEmpty } }
}
