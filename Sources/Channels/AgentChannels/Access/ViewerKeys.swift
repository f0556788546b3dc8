import CaptureModel
import ControlMessages
import KeyFiles
import Logging
import PosixSupport
import RigAccess

/// The owner of the keys that may watch this node: enforces each list that the coordinator sends, and stores it, so that
/// the next run enforces it until the coordinator is there.
///
/// | the last list | while it is younger than ``ViewerList/lifetime`` | then |
/// |---|---|---|
/// | of this run | its keys may watch | nobody may, and connections end |
/// | of an earlier run | its keys may watch | nobody may |
/// | none, or its file is damaged | nobody may watch | nobody may |
///
/// It runs on a thread that may block on the disk.
actor ViewerKeys {
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    static let fileName = "viewers.json"
    /// A list that only confirms the stored one is stored again after this time, so that the disk is not written each
    /// minute.
    static let storeInterval = Duration.seconds(600)

    private struct Enforced {
        var list: ViewerList
        /// The decisions by it, made once: each connection asks for them.
        var decisions: AccessSnapshot
        /// When its time has passed, by ``ViewerKeys/elapsed(_:)``.
        var end: LocalTime

        init(_ list: ViewerList, until end: LocalTime) {
            (self.list, decisions, self.end) = (list, list.snapshot, end)
        }
    }

    /// The decisions after each change. For one consumer.
    nonisolated let changes: AsyncStream<AccessSnapshot>
    private nonisolated let change: AsyncStream<AccessSnapshot>.Continuation
    private nonisolated let enforced: Locked<Enforced>
    private nonisolated let clock: any TimeSource
    private nonisolated let executor: ThreadExecutor
    private nonisolated let alarm: Alarm
    private let folder: PrivateFolder
    private let log: Logger
    private var stored: ViewerList

    /// Reads what an earlier run has stored.
    /// - Throws: ``KeyFileError`` if the folder cannot be used, or others can read or write it.
    init(folder path: String, executor: ThreadExecutor, clock: any TimeSource, log: Logger) throws {
        folder = try PrivateFolder.make(path, for: .owner, to: Self.reading)
        self.executor = executor
        self.clock = clock
        self.log = log
        alarm = Alarm(clock: clock)
        (changes, change) = AsyncStream.makeStream(of: AccessSnapshot.self, bufferingPolicy: .bufferingNewest(1))
        stored = .none
        if let file = try folder.read(Self.fileName, limit: ViewerListDocument.longest, to: Self.reading) {
            do {
                stored = try ViewerListDocument.decode(file.bytes)
            } catch {
                log.warning("nobody may watch until the coordinator sends the keys", metadata: ["reason": "\(error)"])
            }
        }
        let age = stored.age(at: Self.wallTime(clock))
        enforced = Locked(Enforced(stored, until: Self.elapsed(clock) + (ViewerList.lifetime - age)))
    }

    /// The decisions of now. Never waits.
    nonisolated var snapshot: AccessSnapshot {
        let now = Self.elapsed(clock)
        return enforced.withLock { $0.end > now ? $0.decisions : $0.list.expired }
    }

    /// Enforces a list of the coordinator, then stores it.
    func accept(_ viewers: AdmittedViewers) {
        let list = ViewerList(
            revision: viewers.revision, holders: viewers.holders, confirmedAt: Self.wallTime(clock))
        let begun = Enforced(list, until: Self.elapsed(clock) + ViewerList.lifetime)
        enforced.withLock { $0 = begun }
        change.yield(begun.decisions)
        alarm.ring()
        let isSame = list.revision == stored.revision && list.holders == stored.holders
        // A date of the future, which a wall clock that was set back leaves, would count as ended at the next start.
        let isRecent = (.zero..<Self.storeInterval).contains(list.confirmedAt - stored.confirmedAt)
        if !(isSame && isRecent) { store(list) }
    }

    /// Ends the connections when the time of a list has passed, until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            let end = enforced.withLock(\.end)
            await alarm.wait(until: clock.now() + (end - Self.elapsed(clock)))
            guard !Task.isCancelled, Self.elapsed(clock) >= end, enforced.withLock(\.end) == end else { continue }
            if enforced.withLock({ $0.list != .none }) {
                log.warning(
                    "the coordinator has not confirmed the keys of viewers for a day; nobody may watch until it does")
            }
            change.yield(snapshot)
            await alarm.wait(until: nil)
        }
    }

    private static let reading = "read the keys of viewers"

    /// A list that is not stored is enforced all the same. The next run begins with the list before it, until the
    /// coordinator is there.
    private func store(_ list: ViewerList) {
        do {
            let bytes = try ViewerListDocument.encoded(list)
            guard
                try folder.publish(bytes, as: Self.fileName, tag: "next", .replacing, to: "store the keys of viewers")
                    != nil
            else { return }
            stored = list
        } catch {
            log.error("the keys of viewers are not stored", metadata: ["reason": "\(error)"])
        }
    }

    /// The time that has passed, also while the machine was suspended, when the monotonic clock stands still.
    private static func elapsed(_ clock: any TimeSource) -> LocalTime { clock.now() + clock.timeSlept() }

    private static func wallTime(_ clock: any TimeSource) -> WallTime {
        WallTime(nanoseconds: clock.wallClockPair().realtimeNanoseconds)
    }
}
