/// Focusing once: from the press of `auto_focus_start` until the camera has focused or failed.
///
/// It has no clock and counts the planned frames of the main stream.
///
/// | event | status | position |
/// |---|---|---|
/// | connected | 0 idle | 0 |
/// | press | 1 busy | – |
/// | frame, focusing | 1 busy | a step nearer to the goal |
/// | the last such frame | 2 reached, or 4 failed | the goal; 0, which is far, if it fails |
/// | the position is set, or continuous focus is switched on | 0 idle | – |
struct VirtualAutofocus: Hashable, Sendable {
    private static let goalStream: UInt64 = 0x666F_6375_7300

    /// `V4L2_AUTO_FOCUS_STATUS_*`.
    private(set) var status: Int64 = 0
    private var remaining = 0
    private var goal: Int64 = 0
    private var fails = false
    /// How often the button was pressed: the place of the next goal.
    private var presses: UInt64 = 0

    /// Begins to focus. Each press finds another position, from the camera's seed.
    mutating func press(_ configuration: VirtualCameraConfiguration) {
        let positions = VirtualControl.focus.range
        fails = configuration.controls.focusFails
        let found = configuration.noise.bits(at: presses, stream: Self.goalStream) % UInt64(positions.upperBound)
        goal = fails ? 0 : Int64(found) + 1
        (status, remaining) = (1, max(configuration.controls.focusFrames, 1))
        presses &+= 1
    }

    mutating func stop() { (status, remaining) = (0, 0) }

    /// Goes on by a frame.
    /// - Returns: The position afterwards; nil if the camera is not focusing.
    mutating func advance(from position: Int64) -> Int64? {
        guard remaining > 0 else { return nil }
        let next = position + (goal - position) / Int64(remaining)
        remaining -= 1
        if remaining == 0 { status = fails ? 4 : 2 }
        return next
    }
}
