public import CameraKit
import CaptureModel
import PosixSupport

/// Decides which faults affect a frame or a start. It has no clock: the caller passes the instants.
struct FaultSchedule {
    private var armed: [ArmedFault] = []
    private var nextSalt: UInt64 = 0
    private var poweredOn: LocalTime?
    /// Frames exposed over the lifetime of the camera.
    private var exposed: UInt64 = 0
    /// Controls set over the lifetime of the camera.
    private var sets: UInt64 = 0
    private let noise: SeededNoise

    init(_ faults: [VirtualFault], noise: SeededNoise) {
        self.noise = noise
        faults.forEach { arm($0) }
    }

    /// The faults that may still occur.
    var pending: [VirtualFault] { armed.map(\.fault) }

    mutating func arm(_ fault: VirtualFault) {
        armed.append(ArmedFault(fault, salt: nextSalt))
        nextSalt += 1
    }

    mutating func clear(where isMeant: (VirtualFault) -> Bool) {
        armed.removeAll { isMeant($0.fault) }
    }

    /// Returns why the device cannot be opened, in the order in which a driver detects it.
    mutating func refusal(at instant: LocalTime) -> VirtualFault.Kind? {
        let powered = power(at: instant)
        return [.unplugged, .denied, .busy].first { strike([$0], at: instant, powered).contains($0) }
    }

    /// Returns the result of ``refusal(at:)`` without using up a fault. Without an instant, only faults without a start
    /// time count.
    func foreseenRefusal(at instant: LocalTime?) -> VirtualFault.Kind? {
        var foreseen = self
        return foreseen.refusal(at: instant ?? poweredOn ?? LocalTime(nanoseconds: 0))
    }

    /// Returns how much later than configured a stream started at this instant exposes its first frame.
    mutating func startDelay(at instant: LocalTime) -> Duration {
        let delays = armed.map(\.fault).filter { $0.kind == .slowStart }.map { $0.delaySeconds ?? 2 }
        guard strike([.slowStart], at: instant, power(at: instant)).contains(.slowStart) else { return .zero }
        return Duration(clampedSeconds: delays.max() ?? 0)
    }

    /// Returns the faults that affect the frame delivered at this instant.
    /// - Parameter skipped: Frames exposed after the last requested one that nobody collected.
    mutating func effects(at instant: LocalTime, skipped: UInt64) -> Set<VirtualFault.Kind> {
        exposed &+= skipped
        defer { exposed &+= 1 }
        return strike(Self.ofFrames, at: instant, power(at: instant))
    }

    private static let ofFrames = Set(VirtualFault.Kind.allCases.filter(\.strikesFrames) + [.unplugged])

    /// Counts a control that is being set at this instant.
    /// - Returns: Whether the device is unplugged, so that the control is not set.
    mutating func setsControl(at instant: LocalTime) -> Bool {
        sets &+= 1
        return strike([.unplugged], at: instant, power(at: instant)).contains(.unplugged)
    }

    private mutating func power(at instant: LocalTime) -> LocalTime {
        let first = poweredOn ?? instant
        poweredOn = first
        return first
    }

    private mutating func strike(
        _ kinds: Set<VirtualFault.Kind>, at instant: LocalTime, _ powered: LocalTime
    ) -> Set<VirtualFault.Kind> {
        var struck: Set<VirtualFault.Kind> = []
        for index in armed.indices where kinds.contains(armed[index].fault.kind) {
            guard armed[index].isLasting(at: instant, frame: exposed, sets: sets, poweredOn: powered),
                armed[index].strikes(frame: exposed, noise: noise)
            else { continue }
            struck.insert(armed[index].fault.kind)
        }
        armed.removeAll { $0.isOver(at: instant) }
        return struck
    }
}

/// A fault that waits for its time or has begun.
struct ArmedFault {
    let fault: VirtualFault
    /// Distinguishes the random numbers of faults of equal kind.
    let salt: UInt64
    private var begun: LocalTime?
    private var candidates = 0
    private var strikes = 0

    init(_ fault: VirtualFault, salt: UInt64) {
        self.fault = fault
        self.salt = salt
    }

    /// Returns whether it can never occur again.
    func isOver(at instant: LocalTime) -> Bool {
        if let count = fault.count, strikes >= count { return true }
        guard let begun, let length = fault.forSeconds else { return false }
        return instant >= begun + Duration(clampedSeconds: length)
    }

    /// Returns whether it is active at this instant. Begins it if its time has been reached.
    /// - Parameters:
    ///   - frame: Frames exposed before this one, over the lifetime of the camera.
    ///   - sets: Controls set so far, the one that is just being set included.
    mutating func isLasting(at instant: LocalTime, frame: UInt64, sets: UInt64, poweredOn: LocalTime) -> Bool {
        if begun == nil {
            let due = poweredOn + Duration(clampedSeconds: fault.afterSeconds ?? 0)
            guard frame >= fault.fromFrame ?? 0, sets >= fault.fromSet ?? 0, instant >= due else { return false }
            // If its planned start is an instant, its end is counted from there, not from when it was noticed.
            let isPlanned = fault.afterSeconds != nil && fault.fromFrame == nil && fault.fromSet == nil
            begun = isPlanned ? due : instant
        }
        return !isOver(at: instant)
    }

    /// Returns whether it affects this frame or start. Called for each one while it is active.
    mutating func strikes(frame: UInt64, noise: SeededNoise) -> Bool {
        let position = candidates
        candidates += 1
        guard position.isMultiple(of: max(1, fault.every ?? 1)) else { return false }
        if let probability = fault.probability, noise.fraction(at: frame, stream: salt) >= probability { return false }
        strikes += 1
        return true
    }
}

extension VirtualFault.Kind {
    /// Returns the error with which a virtual device with this fault refuses to be opened.
    /// - Parameters:
    ///   - kind: The noun for people: `virtual camera`.
    ///   - name: The device's name.
    func refusal(of kind: String, _ name: String) -> CameraError {
        let (code, reason): (CameraError.Code, String) =
            switch self {
            case .busy: (.busy, "another program holds the \(kind); it is free when that fault ends")
            case .denied: (.denied, "this process may not open the \(kind) until that fault ends")
            default: (.absent, "the \(kind) is unplugged; it comes back when that fault ends")
            }
        return CameraError(code, device: name, operation: "open", reason: reason)
    }
}

/// The faults of one virtual camera, which can be changed while it runs. Usable from any thread.
public final class VirtualFaults: Sendable {
    private let schedule: Locked<FaultSchedule>

    init(_ schedule: FaultSchedule) {
        self.schedule = Locked(schedule)
    }

    /// Adds a fault. Without `fromFrame` and `afterSeconds` it takes effect at the next frame or start.
    /// - Throws: ``CameraError`` with code `failed` if its numbers are invalid.
    public func inject(_ fault: VirtualFault) throws(CameraError) {
        if let problem = fault.problems.first {
            throw CameraError(.failed, device: "virtual camera", operation: "inject fault", reason: "\(problem)")
        }
        schedule.withLock { $0.arm(fault) }
    }

    /// Ends every fault of this kind, whether begun or waiting. `clear(.unplugged)` plugs the camera in again.
    public func clear(_ kind: VirtualFault.Kind) {
        schedule.withLock { schedule in schedule.clear { $0.kind == kind } }
    }

    /// Ends every fault.
    public func clear() {
        schedule.withLock { schedule in schedule.clear { _ in true } }
    }

    /// The faults that are active or still to begin.
    public var pending: [VirtualFault] {
        schedule.withLock { $0.pending }
    }

    func withSchedule<Result: Sendable>(_ body: (inout FaultSchedule) -> Result) -> Result {
        schedule.withLock(body)
    }
}
