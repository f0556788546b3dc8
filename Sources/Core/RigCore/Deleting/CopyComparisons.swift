import CaptureModel
import StorageKit

import class PosixSupport.Locked

/// Compares copies of shots with the library, each within a limit: a disk that hangs, such as that of another machine that is off, cannot be
/// interrupted, and must hold neither a request nor the retention.
///
/// | a comparison | its answer |
/// |---|---|
/// | ends within its limit | what it found |
/// | does not | no copy is known; until it has ended, the same is answered at once to others |
final class CopyComparisons: Sendable {
    /// How long a comparison may take, in addition to the time that reading needs at ``slowestByteRate``.
    static let limit = Duration.seconds(30)
    /// Bytes a second of the slowest disk that is waited for.
    static let slowestByteRate: Int64 = 2 << 20

    private struct State {
        var last: UInt64 = 0
        var underWay: Set<UInt64> = []
        /// Those under way that have exceeded their limit.
        var late: Set<UInt64> = []
    }

    private let copies: any ShotCopies
    private let clock: any TimeSource
    private let state = Locked(State())

    init(_ copies: any ShotCopies, clock: any TimeSource) {
        self.copies = copies
        self.clock = clock
    }

    /// How long the comparison of a shot may take.
    static func limit(for shot: Shot) -> Duration {
        let stored = shot.captures.flatMap(\.files).filter(\.isStored)
        return limit + .seconds(stored.reduce(0) { $0 + ($1.byteCount ?? 0) / slowestByteRate })
    }

    /// Returns why no complete copy of a shot is known, as a sentence; nil if one is.
    func shortfall(of shot: Shot) async -> String? {
        guard let number = begin() else {
            return "the folder of `library.copy` does not answer; check its disk, or whether its server runs"
        }
        let limit = Self.limit(for: shot)
        let (results, result) = AsyncStream.makeStream(of: String?.self, bufferingPolicy: .bufferingOldest(1))
        // Unstructured, because a disk that hangs cannot be interrupted. None begins while one is late.
        Task {
            let found = await copies.shortfall(of: shot)
            end(number)
            result.yield(found)
        }
        // Unstructured, because a task group would wait for the disk.
        let alarm = Task {
            guard (try? await clock.sleep(for: limit)) != nil, exceeds(number) else { return }
            result.yield(
                "its copy in the folder of `library.copy` was not read within \(limit.text); check that disk, or whether its server runs"
            )
        }
        defer { alarm.cancel() }
        for await first in results { return first }
        return "the coordinator is ending"
    }

    /// - Returns: nil while a comparison is late.
    private func begin() -> UInt64? {
        state.withLock { state in
            guard state.late.isEmpty else { return nil }
            state.last += 1
            state.underWay.insert(state.last)
            return state.last
        }
    }

    /// - Returns: Whether the comparison is still under way.
    private func exceeds(_ number: UInt64) -> Bool {
        state.withLock { state in
            guard state.underWay.contains(number) else { return false }
            state.late.insert(number)
            return true
        }
    }

    private func end(_ number: UInt64) {
        state.withLock { state in
            state.underWay.remove(number)
            state.late.remove(number)
        }
    }
}
