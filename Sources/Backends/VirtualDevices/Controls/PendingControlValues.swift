import CameraKit
import CaptureModel

/// The values of a stream's controls by frame: those in force, and those that were accepted and act later.
///
/// It has no clock and counts the frames that are planned. With a delay of 2, and frame 7 planned:
///
/// | event | next frame | pending | values of the frame |
/// |---|---|---|---|
/// | `set(gain, 6, delay: 2)` | 8 | gain 6 from 10 | |
/// | `plan()` | 9 | gain 6 from 10 | gain 0 |
/// | `set(gain, 9, delay: 0)` | 9 | gain 6 from 10, gain 9 from 10 → gain 9 from 10 | |
/// | `plan()` | 10 | gain 9 from 10 | gain 0 |
/// | `plan()` | 11 | none | gain 9 |
///
/// A value never acts before an earlier one of the same control. Of two values of a control that act with the same
/// frame, the later one replaces the earlier one. So a control has at most as many pending values as the longest delay
/// has frames.
struct PendingControlValues: Hashable, Sendable {
    private struct Change: Hashable, Sendable {
        var control: VirtualControl
        var value: Int64
        /// The first frame that has the value.
        var frame: UInt64
    }

    private var values: VirtualControlValues
    private var pending: [Change] = []
    private var next: UInt64 = 0

    /// - Parameter values: In force from the first frame.
    init(_ values: VirtualControlValues) {
        self.values = values
    }

    /// Number of values that were accepted and are not in force.
    var pendingCount: Int { pending.count }

    /// Makes a control's value act with the frame that is planned after `delay` others.
    mutating func set(_ control: VirtualControl, _ value: Int64, delay: Int) {
        let last = pending.last { $0.control == control }?.frame ?? 0
        let change = Change(control: control, value: value, frame: max(next &+ UInt64(max(delay, 0)), last))
        pending.removeAll { $0.control == control && $0.frame == change.frame }
        pending.append(change)
    }

    /// Puts values in force with the next frame. Drops the pending ones.
    mutating func settle(on values: VirtualControlValues) {
        self.values = values
        pending = []
    }

    /// Plans the next frame and returns its values.
    mutating func plan() -> VirtualControlValues {
        for change in pending where change.frame <= next { values[change.control] = change.value }
        pending.removeAll { [next] in $0.frame <= next }
        next &+= 1
        return values
    }
}

/// The controls of a virtual camera: the accepted values, which are those that are read back, and when each running
/// stream has them.
struct VirtualControls: Hashable, Sendable {
    private(set) var accepted: VirtualControlValues
    private var streams: [StreamName: PendingControlValues] = [:]
    /// Controls set over the lifetime of the camera. The place of the next random delay.
    private var sets: UInt64 = 0

    init(_ configuration: VirtualCameraConfiguration) {
        accepted = VirtualControlValues(configuration)
    }

    /// Begins a stream, whose first frame has all accepted values.
    mutating func open(_ stream: StreamName) {
        streams[stream] = PendingControlValues(accepted)
    }

    mutating func close(_ stream: StreamName) {
        streams[stream] = nil
    }

    /// Accepts a value that was checked. Every stream has it after the same number of frames.
    mutating func set(_ control: VirtualControl, _ value: Int64, _ configuration: VirtualCameraConfiguration) {
        let delay = configuration.controls.delay(at: sets, configuration.noise)
        sets &+= 1
        guard !control.isButton else { return accepted.autofocus.press(configuration) }
        accepted[control] = value
        for stream in streams.keys { streams[stream]?.set(control, value, delay: delay) }
    }

    /// Changes exposure and gain to those of a configuration. If that changes a value, all accepted values are in force
    /// with the next frame.
    mutating func adopt(_ configuration: VirtualCameraConfiguration) {
        let before = accepted
        accepted.adopt(configuration)
        guard accepted != before else { return }
        for stream in streams.keys { streams[stream]?.settle(on: accepted) }
    }

    /// Plans the next frame of a stream and returns its values. With the frames of the main stream, automatic modes of a
    /// camera with a look approach their goals, and so does a camera that focuses once.
    mutating func plan(_ stream: StreamName, look: VirtualLook? = nil) -> VirtualControlValues {
        if stream == .main, let position = accepted.autofocus.advance(from: accepted.focus) {
            accepted.focus = position
            for stream in streams.keys { streams[stream]?.set(.focus, position, delay: 0) }
        }
        var values = streams[stream]?.plan() ?? accepted
        if let look, stream == .main { accepted.adaptation?.advance(values, look) }
        values.adaptation = accepted.adaptation
        return values
    }
}
