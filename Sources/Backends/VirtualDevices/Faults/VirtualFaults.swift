public import CameraKit
import CaptureModel
import PosixSupport

/// The faults of one virtual camera, to be changed while it runs; usable from any thread.
public final class VirtualFaults: Sendable {
    private let schedule: Locked<FaultSchedule>

    init(_ schedule: FaultSchedule) {
        self.schedule = Locked(schedule)
    }

    /// Adds a fault. Without `fromFrame` and `afterSeconds` it takes effect at the next frame or start.
    /// - Throws: ``CameraError`` of code `failed` when its numbers make no sense.
    public func inject(_ fault: VirtualFault) throws(CameraError) {
        if let problem = fault.problems.first {
            throw CameraError(.failed, device: "virtual camera", operation: "inject fault", reason: "\(problem)")
        }
        schedule.withLock { $0.arm(fault) }
    }

    /// Ends every fault of this kind, whether begun or waiting: `clear(.unplugged)` plugs the camera in again.
    public func clear(_ kind: VirtualFault.Kind) {
        schedule.withLock { schedule in schedule.clear { $0.kind == kind } }
    }

    /// Ends every fault.
    public func clear() {
        schedule.withLock { schedule in schedule.clear { _ in true } }
    }

    /// The faults that last or are still to come.
    public var pending: [VirtualFault] {
        schedule.withLock { $0.pending }
    }

    func withSchedule<Result: Sendable>(_ body: (inout FaultSchedule) -> Result) -> Result {
        schedule.withLock(body)
    }
}
