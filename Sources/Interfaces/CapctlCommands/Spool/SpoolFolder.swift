internal import CaptureModel
internal import CaptureSystem
import Journal
internal import PosixSupport
internal import RigWire
internal import Spool

/// Works in the folder of a spool whose agent is stopped, under its lock. Opening it repairs it as a start of the agent
/// does. Which captures the library knows cannot be told here.
struct SpoolFolder: SpoolSource {
    private let spool: Spool
    private let journal: EventJournal

    /// - Throws: Where the folder is no spool, an agent works in it, or it cannot be read.
    init(_ path: String) throws {
        let path = AbsolutePath.of(path)
        do {
            // Only a folder that is there: a mistyped one is not to be made into a spool.
            _ = try Folder(opening: path + "/captures")
            let disk = try ThreadExecutor(name: "spool")
            spool = try Spool(folder: path, limitBytes: .max, reserveFreeBytes: 0, executor: disk)
            journal = try EventJournal(folder: path + "/events", epoch: .random(), executor: disk)
        } catch {
            throw CommandFailure(.other, "the spool \(path) cannot be worked in: \(error)")
        }
    }

    /// What the opening found amiss and did about it.
    var findings: [String] { spool.startupFindings }

    func list() async throws -> SpoolContent {
        let whole = await spool.inventory().map { SpooledCapture($0) }
        let damaged = try await spool.damagedCaptures().map { capture in
            SpooledCapture(
                key: capture.key, files: capture.names.count, byteCount: capture.byteCount, state: .damaged)
        }
        return SpoolContent(captures: (whole + damaged).sorted { $0.key < $1.key })
    }

    func discard(_ captures: [SpooledCapture]) async throws -> [SpooledCapture] {
        var discarded: [SpooledCapture] = []
        for capture in captures {
            let wasThere =
                capture.state == .damaged
                ? try await spool.discardDamaged(capture.key) != nil : try await spool.discard(capture.key) != nil
            guard wasThere else { continue }
            await tell(capture)
            discarded.append(capture)
        }
        return discarded
    }

    /// The agent delivers it when it runs again, so that the shot's manifest can say what became of the capture.
    private func tell(_ capture: SpooledCapture) async {
        let pair = SystemTimeSource().wallClockPair()
        let event = RigEvent(
            .spoolDiscarded, realtimeNanoseconds: pair.realtimeNanoseconds, local: pair.monotonic,
            device: capture.key.device, shot: capture.key.shot, details: capture.discardDetails)
        await journal.append(event)
    }
}
