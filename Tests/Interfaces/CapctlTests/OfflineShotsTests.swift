import ArgumentParser
import CaptureModel
import CaptureTestSupport
import Foundation
import ShotDocuments
import Synchronization
import Testing

@testable import CapctlCommands

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
        #expect(output.contains("\(id)  2026-11-21T10:15:44.250Z  partial      2/3  2026/11/21/\(id)"))
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
