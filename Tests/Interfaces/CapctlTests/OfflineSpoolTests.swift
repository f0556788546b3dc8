import ArgumentParser
import CaptureModel
import CaptureTestSupport
import Journal
import PosixSupport
import Spool
import Synchronization
import Testing

@testable import CapctlCommands

@Suite struct OfflineSpoolTests {
    private let folder: TemporaryFolder
    private let key: CaptureKey
    private let other: CaptureKey

    /// A spool with two captures, as an agent leaves it.
    init() async throws {
        folder = try TemporaryFolder()
        var generator = SeededGenerator(seed: 4)
        let device = try DeviceID("north/cam1")
        key = CaptureKey(shot: ShotID(unixMilliseconds: 1_795_000_000_000, using: &generator), device: device)
        other = CaptureKey(shot: ShotID(unixMilliseconds: 1_795_000_000_001, using: &generator), device: device)
        let spool = try Spool(
            folder: folder.path, limitBytes: .max, reserveFreeBytes: 0, executor: try ThreadExecutor(name: "spool"))
        for key in [key, other] {
            _ = try await spool.store(
                key,
                resolved: ResolvedPhotoSettings(
                    width: 640, height: 360,
                    streamFormat: VideoFormat(
                        pixelFormat: .mjpeg, width: 640, height: 360, frameInterval: .milliseconds(33)),
                    isCameraEncoded: true, orientation: .degrees0),
                timing: FrameTiming(
                    sequence: 1, localMidExposure: LocalTime(nanoseconds: 1),
                    midExposure: BoundedRigTime(time: RigTime(nanoseconds: 1), bound: .zero), skewNanoseconds: 0,
                    dequeued: RigTime(nanoseconds: 1)), files: [(.photo, [[1, 2, 3]])])
        }
    }

    private func run(
        _ arguments: String..., answer: Bool? = nil
    ) async throws -> (status: CommandStatus, output: String, notes: String) {
        let output = Mutex("")
        let notes = Mutex("")
        let console = Console(
            write: { text in output.withLock { $0 += text } }, note: { text in notes.withLock { $0 += text } },
            isTerminal: false, confirm: { _ in answer })
        guard
            let command = try Capctl.parseAsRoot(["spool"] + arguments + ["--spool", folder.path])
                as? any CapctlCommand
        else { throw CommandFailure(.usage, "no command") }
        return (await command.outcome(console), output.withLock { $0 }, notes.withLock { $0 })
    }

    @Test("What lies in a spool is not listed, or not in the order of the shots")
    func list() async throws {
        let (status, output, _) = try await run("list")
        #expect(status == .complete)
        let lines = output.split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines[1].contains("\(key.shot)  waiting") && lines[1].contains(" 3 B "))
        #expect(lines[2].contains("\(other.shot)"))
    }

    @Test("A capture is discarded without a word of consent, or one that was not meant")
    func discard() async throws {
        let shot = key.shot.description
        #expect(try await run("discard", "--shot", shot).status == .usage)
        #expect(try await run("discard", "--shot", shot, answer: false).status == .failed)
        #expect(try await run("list").output.contains(shot))
        let (status, output, notes) = try await run("discard", "--shot", shot, answer: true)
        #expect(status == .complete && output == "north/cam1 \(shot)\n")
        #expect(notes.contains("waiting"))
        #expect(try await run("discard", "--shot", shot, "--yes").status == .failed)
        let left = try await run("list").output
        #expect(!left.contains(shot) && left.contains(other.shot.description))
    }

    @Test("Nothing tells the rig that a capture was discarded while its agent was stopped")
    func discardIsTold() async throws {
        _ = try await run("discard", "--device", "north/cam1", "--yes")
        let journal = try EventJournal(
            folder: folder.path + "/events", epoch: .random(), executor: try ThreadExecutor(name: "events"))
        let events = try await journal.pending(limit: 10).map { try $0.event() }
        #expect(events.map(\.name) == [.spoolDiscarded, .spoolDiscarded])
        #expect(events.compactMap(\.shot) == [key.shot, other.shot])
        #expect(events.first?.details == ["state": "waiting", "files": "1", "byteCount": "3"])
    }

    @Test("A spool is worked in while its agent runs, or a mistyped folder becomes one")
    func refusals() async throws {
        let agent = try Spool(
            folder: folder.path, limitBytes: .max, reserveFreeBytes: 0, executor: try ThreadExecutor(name: "spool"))
        let (status, _, notes) = try await run("list")
        #expect(status == .other && notes.contains("in use by process"))
        withExtendedLifetime(agent) {}
        let empty = try TemporaryFolder()
        let command = try #require(
            try Capctl.parseAsRoot(["spool", "list", "--spool", empty.path]) as? any CapctlCommand)
        #expect(await command.outcome(Console(write: { _ in }, note: { _ in }, isTerminal: false)) == .other)
        #expect(try empty.names().isEmpty)
    }

    @Test(
        "A command line that says too little or too much is carried out",
        arguments: [
            ["discard"], ["discard", "--damaged", "--orphans"], ["discard", "--orphans"], ["list", "--node", "north"],
        ])
    func commandLines(_ arguments: [String]) {
        #expect(throws: (any Error).self) {
            try Capctl.parseAsRoot(["spool"] + arguments + ["--spool", "somewhere"])
        }
    }
}
