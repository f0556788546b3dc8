import CaptureModel

/// Which frames of a session are looked at for changes of the scene.
struct SceneWatch: Sendable {
    /// The shortest time from one frame that is looked at to the next.
    static let interval = Duration.milliseconds(250)

    var detector: SceneChangeDetector
    /// Whether a frame is being measured; none is taken meanwhile.
    private(set) var isMeasuring = false
    private var last: LocalTime?

    init(_ settings: SceneChangeSettings) {
        detector = SceneChangeDetector(settings)
    }

    /// The stream begins; the camera may have been moved while it was closed.
    mutating func begin() {
        detector.forget()
        (isMeasuring, last) = (false, nil)
    }

    /// Whether a frame of this mid-exposure is to be measured. Where it is, none is before ``end()``.
    mutating func begins(_ time: LocalTime) -> Bool {
        guard !isMeasuring, last.map({ time >= $0 + Self.interval }) ?? true else { return false }
        (isMeasuring, last) = (true, time)
        return true
    }

    /// The frame has been measured.
    mutating func end() {
        isMeasuring = false
    }
}
