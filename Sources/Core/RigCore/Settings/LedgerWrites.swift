import CaptureModel
import StorageKit

/// Which changes of the rig's settings transactions are durable, and when they are written. A value without a clock or a disk.
///
/// | newest change | next |
/// |---|---|
/// | is stored | waits for a change |
/// | was not written yet | written at once |
/// | could not be stored | written again ``retryInterval`` after the failure |
///
/// A write has everything until the newest change, so that one that succeeds stores all changes before it.
struct LedgerWrites {
    static let retryInterval = Duration.seconds(1)

    /// What the owner of the ledger does next.
    enum Next: Hashable {
        /// Write the present transactions.
        case write(through: UInt64)
        /// Wait for a change, at the longest until this instant.
        case wait(until: LocalTime?)
    }

    /// What is known of a change.
    enum Fate: Hashable {
        case stored
        /// The disk has not answered yet.
        case pending
        /// It is not known to be stored, and is written again.
        case failed(StorageError)
    }

    /// The number of the newest change.
    private(set) var newest: UInt64 = 0
    /// The newest change that is durable.
    private(set) var stored: UInt64 = 0
    private var failure: (through: UInt64, error: StorageError, retry: LocalTime)?

    /// Notes a change.
    /// - Returns: Its number.
    mutating func change() -> UInt64 {
        newest += 1
        return newest
    }

    func next(at now: LocalTime) -> Next {
        guard newest > stored else { return .wait(until: nil) }
        guard let failure, failure.through == newest, failure.retry > now else { return .write(through: newest) }
        return .wait(until: failure.retry)
    }

    /// Notes how a write has ended.
    /// - Returns: Whether that differs from how the write before it has ended.
    mutating func wrote(through change: UInt64, _ result: Result<Void, StorageError>, at now: LocalTime) -> Bool {
        let hadFailed = failure != nil
        switch result {
        case .success: (stored, failure) = (max(stored, change), nil)
        case .failure(let error): failure = (change, error, now + Self.retryInterval)
        }
        return hadFailed != (failure != nil)
    }

    func fate(of change: UInt64) -> Fate {
        if change <= stored { return .stored }
        guard let failure, failure.through >= change else { return .pending }
        return .failed(failure.error)
    }
}
