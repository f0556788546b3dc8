import ArgumentParser
import CaptureModel
import CaptureTestSupport
import Foundation
import Journal
import PosixSupport
import ShotDocuments
import Spool
import Synchronization
import Testing

@testable import CapctlCommands

/// Searching, titles and exports in a library's folder, by the command line.
@Suite struct OfflineLibraryTests {
    private let folder: TemporaryFolder
    private let id: String

    /// A library with the sample shot, whose pictures are gone, as of 2026-11-21T10:15:44.250Z.
    init() throws {
        folder = try TemporaryFolder()
        let shot = try SampleShot().shot
        id = shot.id.description
        let shotFolder = folder.url.appending(path: "2026/11/21/\(id)")
        try FileManager.default.createDirectory(at: shotFolder, withIntermediateDirectories: true)
        try Data(ShotManifest(shot: shot).encoded()).write(to: shotFolder.appending(path: "shot.json"))
    }

    private func run(_ arguments: String...) async throws -> (status: CommandStatus, output: String, notes: String) {
        let output = Mutex("")
        let notes = Mutex("")
        let console = Console(
            write: { text in output.withLock { $0 += text } }, note: { text in notes.withLock { $0 += text } },
            isTerminal: false)
        guard let command = try Capctl.parseAsRoot(arguments + ["--library", folder.path]) as? any CapctlCommand else {
            throw CommandFailure(.usage, "no command")
        }
        return (await command.outcome(console), output.withLock { $0 }, notes.withLock { $0 })
    }

    @Test(arguments: ["last", "2b4f50", "019a2c5e"])
    func `A shot is found in a library by a part of its id`(_ reference: String) async throws {
        let shown = try await run("shots", "show", reference)
        #expect(shown.status == .partial && shown.output.contains("\nshot \(id)\n"), "\(shown)")
        let titled = try await run("shots", "edit", reference, "--title", "Best", "-o", "name")
        #expect(titled.status == .complete && titled.output == "\(id)\n", "\(titled)")
        let unknown = try await run("shots", "show", "beef")
        #expect(unknown.status == .failed && unknown.notes.contains("`capctl shots list` lists them"))
        let none = try await run("takes", "show", "last")
        #expect(none.status == .failed && none.notes.contains("there is no take yet"))
    }

    @Test(arguments: [
        ["--since", "2026-11-21"], ["--since", "2026-11-21T11:15:44.25+01:00"], ["--until", "2026-11-22"],
        ["--device", "n1/*"], ["--device", "cam1"], ["--outcome", "missed", "--device", "n3/cam1"],
        ["--status", "partial", "--status", "failed"],
    ])
    func `a shot that is meant is not listed`(_ query: [String]) async throws {
        for _ in 0..<2 {
            let command = try #require(
                try Capctl.parseAsRoot(["shots", "list", "--library", folder.path] + query) as? any CapctlCommand)
            let output = Mutex("")
            let console = Console(write: { text in output.withLock { $0 += text } }, note: { _ in }, isTerminal: false)
            #expect(await command.outcome(console) == .complete)
            #expect(output.withLock { $0.contains(id) })
            #expect(try await run("shots", "reindex").status == .complete)
        }
    }

    @Test(arguments: [
        ["--since", "2026-11-21T10:15:44.250000001Z"], ["--until", "2026-11-21"], ["--device", "n4/*"],
        ["--outcome", "missed", "--device", "n1/*"], ["--status", "complete"], ["--title", "x"], ["--label", "left"],
    ])
    func `a shot that is not meant is listed`(_ query: [String]) async throws {
        for _ in 0..<2 {
            let command = try #require(
                try Capctl.parseAsRoot(["shots", "list", "--library", folder.path] + query) as? any CapctlCommand)
            let output = Mutex("")
            let console = Console(write: { text in output.withLock { $0 += text } }, note: { _ in }, isTerminal: false)
            #expect(await command.outcome(console) == .complete)
            #expect(output.withLock { !$0.contains(id) })
            #expect(try await run("shots", "reindex").status == .complete)
        }
    }

    @Test(arguments: [
        ["--since", "yesterday"], ["--device", "a/b/c"], ["--outcome", "fine"], ["--title", ""],
        ["--since", "2026-11-22", "--until", "2026-11-21"],
    ])
    func `a mistake in a search is an empty list`(_ query: [String]) {
        #expect(throws: (any Error).self) {
            try Capctl.parseAsRoot(["shots", "list", "--library", folder.path] + query)
        }
    }

    @Test func `a title is not found again, or not shown`() async throws {
        #expect(try await run("shots", "edit", id, "--title", "Nordwand", "--note", "Wind\nNebel").status == .complete)
        #expect(try await run("shots", "list", "--title", "NORD").output.contains("\(id)  Nordwand"))
        let shown = try await run("shots", "show", id).output
        #expect(shown.contains("title: Nordwand\nnote: Wind\nnote: Nebel\n"))
        #expect(
            try await run("shots", "list", "--text", "nebel", "--format", "json").output.contains(
                #""title" : "Nordwand""#))
        #expect(
            try await run("shots", "edit", "019a2c5e-7b5a-7c3e-9f0e-3d6c1a2b4f51", "--title", "x").status == .failed)
    }

    @Test func `a search that reads every manifest does not say why it is slow`() async throws {
        #expect(try await run("shots", "list", "--title", "x").notes.contains("capctl shots reindex"))
        #expect(try await run("shots", "reindex").output.hasPrefix("1 shot, of which 1 had changed"))
        #expect(try await !run("shots", "list", "--title", "x").notes.contains("reindex"))
    }

    @Test func `a damaged library is called sound`() async throws {
        #expect(try await run("shots", "reindex", "--check").status == .complete)
        // A shot that a coordinator had not begun to write down when it was killed is not damage.
        let unbegun = folder.url.appending(path: "2026/11/21/0192f5c0-0000-7000-8000-000000000001")
        try FileManager.default.createDirectory(at: unbegun, withIntermediateDirectories: false)
        #expect(try await run("shots", "reindex", "--check").status == .complete)
        try folder.write("{", to: "2026/11/21/\(id)/shot.json")
        let (status, output, _) = try await run("shots", "reindex", "--check")
        #expect(status == .failed && output.contains("\n1 manifest cannot be read; `capctl shots verify --all"))
        #expect(try await run("shots", "reindex", "--format", "json").output.contains("\"damaged\" : 1"))
    }

    @Test func `an export of what is gone ends as if it were there`() async throws {
        let target = folder.path + "/export"
        let (status, output, _) = try await run("export", id, "--to", target, "--layout", "colmap")
        #expect(status == .failed)
        #expect(output.contains("n1/cam1  photo  missing"))
        #expect(output.contains("n3/cam1  photo  absent   n3 is not connected"))
        #expect(output.contains("0 of 3 files"))
        #expect(!FileManager.default.fileExists(atPath: target))
        #expect(throws: (any Error).self) {
            try Capctl.parseAsRoot(["export", id, "--to", target, "--layout", "zip"])
        }
    }
}

@Suite struct OfflineShotsTests {
    private let folder: TemporaryFolder
    private let id: String

    /// A library with the sample shot, as a coordinator leaves it on disk.
    init() throws {
        folder = try TemporaryFolder()
        let shot = try SampleShot().shot
        id = shot.id.description
        let shotFolder = folder.url.appending(path: "2026/11/21/\(id)")
        for name in ["n1.cam1", "n2.cam1"] {
            let capture = shotFolder.appending(path: name)
            try FileManager.default.createDirectory(at: capture, withIntermediateDirectories: true)
            try Data("not what was stored".utf8).write(to: capture.appending(path: "photo.jpg"))
        }
        try Data(ShotManifest(shot: shot).encoded()).write(to: shotFolder.appending(path: "shot.json"))
    }

    private func run(_ arguments: String...) async throws -> (status: CommandStatus, output: String) {
        let output = Mutex("")
        let console = Console(write: { text in output.withLock { $0 += text } }, note: { _ in }, isTerminal: false)
        guard
            let command = try Capctl.parseAsRoot(["shots"] + arguments + ["--library", folder.path])
                as? any CapctlCommand
        else { throw CommandFailure(.usage, "no command") }
        return (await command.outcome(console), output.withLock { $0 })
    }

    @Test func shotsAreListedWithoutACoordinator() async throws {
        let (status, output) = try await run("list")
        #expect(status == .complete)
        #expect(output.contains("\(id)  2026-11-21 10:15:44+00:00  partial      2/3  2026/11/21/\(id)"))
    }

    @Test func aShotIsShownWithItsStatus() async throws {
        let (status, output) = try await run("show", id)
        #expect(status == .partial)
        #expect(output.contains("partial: 2 of 3 stills"))
        #expect(output.contains("/2026/11/21/\(id)\n"))
    }

    @Test func alteredFilesAreFound() async throws {
        let (status, output) = try await run("verify", id)
        #expect(status == .failed)
        #expect(output.contains("altered  n1.cam1/photo.jpg"))
    }

    @Test func aWholeLibraryIsVerifiedAndEveryKindOfDamageFound() async throws {
        let day = folder.url.appending(path: "2026/11/21")
        let damaged = day.appending(path: "019a2c5e-7b5a-7c3e-9f0e-3d6c1a2b4f52")
        try FileManager.default.createDirectory(at: damaged, withIntermediateDirectories: true)
        try folder.write("{", to: "2026/11/21/\(damaged.lastPathComponent)/shot.json")
        try Data("x".utf8).write(to: day.appending(path: "notes.txt"))
        var take = try SampleShot().shot
        take.id = try #require(ShotID("019a2c5e-7b5a-7c3e-9f0e-3d6c1a2b4f53"))
        take.take = Take()
        let movie = day.appending(path: "\(take.id)/n1.cam1")
        try FileManager.default.createDirectory(at: movie, withIntermediateDirectories: true)
        try Data(ShotManifest(shot: take).encoded()).write(to: day.appending(path: "\(take.id)/take.json"))
        let (status, output) = try await run("verify", "--all")
        #expect(status == .failed)
        #expect(output.contains("altered  n1.cam1/photo.jpg"))
        #expect(output.contains("019a2c5e-7b5a-7c3e-9f0e-3d6c1a2b4f52/shot.json"))
        #expect(output.contains("stray    2026/11/21/notes.txt"))
        #expect(output.contains("\(take.id)  missing  n1.cam1/photo.jpg"))
        #expect(output.components(separatedBy: "4f52/shot.json").count == 2, "one finding")
        #expect(output.hasPrefix("2 shots and takes verified\n"))
    }

    @Test func anEmptyLibraryIsSound() async throws {
        try FileManager.default.removeItem(at: folder.url.appending(path: "2026"))
        let (status, output) = try await run("verify", "--all")
        #expect(status == .complete)
        #expect(output == "0 shots and takes verified\n")
    }

    @Test func anUnknownShotIsAFailure() async throws {
        let (status, output) = try await run("show", "019a2c5e-7b5a-7c3e-9f0e-3d6c1a2b4f51")
        #expect(status == .failed && output.isEmpty)
    }
}

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

    @Test("Lists a spool in the order of the shots")
    func list() async throws {
        let (status, output, _) = try await run("list")
        #expect(status == .complete)
        let lines = output.split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines[1].contains("\(key.shot)  waiting") && lines[1].contains(" 3 B "))
        #expect(lines[2].contains("\(other.shot)"))
    }

    @Test("Discards only the named captures, after consent")
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

    @Test("Records for the rig that a capture was discarded while its agent was stopped")
    func discardIsTold() async throws {
        _ = try await run("discard", "--device", "north/cam1", "--yes")
        let journal = try EventJournal(
            folder: folder.path + "/events", epoch: .random(), executor: try ThreadExecutor(name: "events"))
        let events = try await journal.pending(limit: 10).map { try $0.event() }
        #expect(events.map(\.name) == [.spoolDiscarded, .spoolDiscarded])
        #expect(events.compactMap(\.shot) == [key.shot, other.shot])
        #expect(events.first?.details == ["state": "waiting", "files": "1", "byteCount": "3"])
    }

    @Test("Refuses a spool in use, and a folder that is none")
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
