import CaptureTestSupport
import Glibc
import PosixSupport

/// A disk that takes no manifest from when it is frozen until it thaws.
final class FreezingDisk: Sendable {
    /// Steps that have come to a frozen disk.
    let held = Observed(0)
    private let isFrozen = Locked(false)
    private let thawed: EventFlag

    init() throws {
        thawed = try EventFlag()
    }

    func freeze() {
        isFrozen.withLock { $0 = true }
    }

    func thaw() {
        isFrozen.withLock { $0 = false }
        thawed.signal()
    }

    var fault: FileFault {
        { [self] step, path in
            guard step == .write, path.contains("shot.json"), isFrozen.withLock({ $0 }) else { return nil }
            held.change { $0 += 1 }
            return thawed.wait(timeoutMilliseconds: 60_000) ? nil : EIO
        }
    }
}
