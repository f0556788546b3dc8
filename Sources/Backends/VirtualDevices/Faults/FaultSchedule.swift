import CaptureModel

/// Decides which faults strike a frame or a start. It has no clock: it is told the instants.
struct FaultSchedule {
    private var armed: [ArmedFault] = []
    private var nextSalt: UInt64 = 0
    private var poweredOn: LocalTime?
    /// Frames exposed over the camera's life.
    private var exposed: UInt64 = 0
    private let noise: SeededNoise

    init(_ faults: [VirtualFault], noise: SeededNoise) {
        self.noise = noise
        faults.forEach { arm($0) }
    }

    /// Those that may still strike.
    var pending: [VirtualFault] { armed.map(\.fault) }

    mutating func arm(_ fault: VirtualFault) {
        armed.append(ArmedFault(fault, salt: nextSalt))
        nextSalt += 1
    }

    mutating func clear(where isMeant: (VirtualFault) -> Bool) {
        armed.removeAll { isMeant($0.fault) }
    }

    /// Why the device cannot be opened, in the order in which a driver finds out.
    mutating func refusal(at instant: LocalTime) -> VirtualFault.Kind? {
        let powered = power(at: instant)
        return [.unplugged, .denied, .busy].first { strike([$0], at: instant, powered).contains($0) }
    }

    /// What ``refusal(at:)`` would say; nothing is struck. Without an instant only faults that wait for none count.
    func foreseenRefusal(at instant: LocalTime?) -> VirtualFault.Kind? {
        var foreseen = self
        return foreseen.refusal(at: instant ?? poweredOn ?? LocalTime(nanoseconds: 0))
    }

    /// How much later than configured a stream started at this instant exposes its first frame.
    mutating func startDelay(at instant: LocalTime) -> Duration {
        let delays = armed.map(\.fault).filter { $0.kind == .slowStart }.map { $0.delaySeconds ?? 2 }
        guard strike([.slowStart], at: instant, power(at: instant)).contains(.slowStart) else { return .zero }
        return Duration(clampedSeconds: delays.max() ?? 0)
    }

    /// What strikes the frame delivered at this instant.
    /// - Parameter skipped: Frames exposed since the last one asked for, which nobody took.
    mutating func effects(at instant: LocalTime, skipped: UInt64) -> Set<VirtualFault.Kind> {
        exposed &+= skipped
        defer { exposed &+= 1 }
        return strike([.unplugged, .stalled, .dropped, .erroneous, .frozen, .torn], at: instant, power(at: instant))
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
            guard armed[index].isLasting(at: instant, frame: exposed, poweredOn: powered),
                armed[index].strikes(frame: exposed, noise: noise)
            else { continue }
            struck.insert(armed[index].fault.kind)
        }
        armed.removeAll { $0.isOver(at: instant) }
        return struck
    }
}
