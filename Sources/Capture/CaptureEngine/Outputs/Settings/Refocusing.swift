import CameraKit
import CameraSettings
public import CaptureModel

/// Focusing once, from the press of the button until the driver says that it has ended. A value without a clock or
/// hardware. Its table is in `docs/design/settings.md`.
struct FocusRun: Hashable, Sendable {
    /// When focusing is taken for ended if the driver does not say so.
    static let limit = Duration.seconds(4)
    /// Time from one look at the status to the next.
    static let interval = Duration.milliseconds(50)

    /// The status before the button was pressed; nil if the camera does not tell one.
    private let before: Int64?
    private let pressed: LocalTime
    private var wasBusy = false
    /// When to look.
    private(set) var next: LocalTime

    init(before: Int64?, pressed: LocalTime) {
        (self.before, self.pressed) = (before, pressed)
        next = before == nil ? pressed + Self.limit : pressed
    }

    /// Notes what the driver says.
    /// - Parameter status: ``FocusControl/status``; nil if it cannot be read.
    /// - Returns: How focusing has ended; nil if it has not.
    mutating func look(_ status: Int64?, at now: LocalTime) -> Refocus.Outcome? {
        next = now + Self.interval
        let status = status ?? 0
        if status & FocusStatus.busy != 0 {
            wasBusy = true
        } else if wasBusy || status != before {
            // What it has said before it was told to focus says nothing.
            if status & FocusStatus.failed != 0 { return .failed }
            if status & FocusStatus.reached != 0 { return .reached }
        }
        return now >= pressed + Self.limit ? .unknown : nil
    }
}

/// What has become of a change of a camera's scene, because of which the camera was to focus.
public struct Refocus: Hashable, Sendable {
    /// How focusing has ended.
    public enum Outcome: String, Hashable, Sendable {
        /// The driver says that the camera has focused.
        case reached
        /// The driver says that the camera cannot focus.
        case failed
        /// The driver does not say anything.
        case unknown
        /// The stream has ended before.
        case interrupted
    }

    public var change: SceneChange
    public var outcome: Outcome
    /// When the driver had accepted the press of the button.
    public var pressed: LocalTime
    /// ``FocusControl/position`` before and afterwards, where it can be read.
    public var positionBefore: Int64?
    public var positionAfter: Int64?
    /// Why the button could not be pressed; nil if it was.
    public var problem: RigProblem?

    public init(
        change: SceneChange, outcome: Outcome, pressed: LocalTime, positionBefore: Int64? = nil,
        positionAfter: Int64? = nil, problem: RigProblem? = nil
    ) {
        (self.change, self.outcome, self.pressed) = (change, outcome, pressed)
        (self.positionBefore, self.positionAfter, self.problem) = (positionBefore, positionAfter, problem)
    }
}

/// Focusing when the scene of a camera changes, where that is switched on. A value without a clock or hardware. Its table is
/// in `docs/design/settings.md`.
struct Refocusing: Hashable, Sendable {
    /// A button that was pressed.
    struct UnderWay: Hashable, Sendable {
        var refocus: Refocus
        var run: FocusRun
        /// The change of the settings' revisions that it is.
        var number: UInt64
        var began: LocalTime
        /// Whether no earlier change of the controls was on its way into the pictures.
        var isSettled: Bool
    }

    private(set) var isOn = false
    /// The change that waits until nothing needs the camera as it is. A later one takes its place and counts it.
    private(set) var waiting: SceneChange?
    /// What is going on; nil also between the decision and the press.
    private(set) var underWay: Stage?
    /// What is to be told of a focusing that the end of the stream has cut off.
    private var interrupted: Refocus?

    enum Stage: Hashable, Sendable {
        /// The button is being pressed.
        case pressing(SceneChange)
        case focusing(UnderWay)
    }

    // MARK: The control

    /// Returns the control with which it is switched on; nil for a camera without a button to focus.
    func control(beside controls: [DeviceControl]) -> DeviceControl? {
        guard controls.contains(where: { $0.name == FocusControl.start && $0.kind == .button && !$0.isReadOnly }) else {
            return nil
        }
        return DeviceControl(name: FocusControl.refocus, kind: .boolean, maximum: 1, value: isOn ? 1 : 0)
    }

    /// Switches it on or off.
    mutating func set(isOn: Bool) {
        self.isOn = isOn
        if !isOn { waiting = nil }
    }

    // MARK: Events

    mutating func sceneChanged(_ change: SceneChange) {
        guard isOn else { return }
        var change = change
        change.count += waiting?.count ?? 0
        waiting = change
    }

    /// Drops what waits: the camera focuses continuously, or its focus is locked.
    mutating func dropWaiting() { waiting = nil }

    /// Begins to press the button.
    /// - Returns: nil if nothing waits, or the camera focuses already.
    mutating func begin() -> SceneChange? {
        guard underWay == nil, let change = waiting else { return nil }
        (waiting, underWay) = (nil, .pressing(change))
        return change
    }

    /// Notes that the button was pressed.
    /// - Returns: false if the stream has ended.
    mutating func pressed(_ underWay: UnderWay) -> Bool {
        guard case .pressing? = self.underWay else { return false }
        self.underWay = .focusing(underWay)
        return true
    }

    /// Notes that the button could not be pressed.
    mutating func refused() { underWay = nil }

    /// Whether to look at the status.
    func isDue(at now: LocalTime) -> Bool {
        guard case .focusing(let going)? = underWay else { return false }
        return now >= going.run.next
    }

    /// Notes what the driver says.
    /// - Returns: What has ended; nil if nothing has.
    mutating func look(_ status: Int64?, position: Int64?, at now: LocalTime) -> UnderWay? {
        guard case .focusing(var going)? = underWay else { return nil }
        guard let outcome = going.run.look(status, at: now) else {
            underWay = .focusing(going)
            return nil
        }
        (going.refocus.outcome, going.refocus.positionAfter) = (outcome, position)
        underWay = nil
        return going
    }

    /// Notes that frames no longer arrive. The scene is learned again with the next ones.
    /// - Returns: What was cut off, if anything was.
    mutating func streamEnded() -> UnderWay? {
        let before = underWay
        (waiting, underWay) = (nil, nil)
        guard case .focusing(var going)? = before else { return nil }
        going.refocus.outcome = .interrupted
        interrupted = going.refocus
        return going
    }

    /// Returns what the end of the stream has cut off, once.
    mutating func takeInterrupted() -> Refocus? {
        defer { interrupted = nil }
        return interrupted
    }
}

extension Refocusing {
    /// Returns the values of the node's own controls among some.
    /// - Throws: If one of them is not accepted.
    func values(in values: [String: Int64], _ device: DeviceID) throws(CameraError) -> [String: Int64] {
        guard let value = values[FocusControl.refocus] else { return [:] }
        guard (0...1).contains(value) else {
            throw CameraError(
                .unsupportedControl, device: device.device.rawValue, operation: "set controls",
                reason: "'\(FocusControl.refocus)' does not accept \(value); it accepts 0 to 1; nothing was changed")
        }
        return [FocusControl.refocus: value]
    }

    mutating func set(_ values: [String: Int64]) {
        if let value = values[FocusControl.refocus] { set(isOn: value != 0) }
    }
}
