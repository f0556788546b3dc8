import ArgumentParser
import CaptureModel
import CaptureTestSupport
import Foundation
import ShotDocuments
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
        #expect(try await run("shots", "list", "--title", "x").notes == "")
    }

    @Test func `a damaged library is called sound`() async throws {
        #expect(try await run("shots", "reindex", "--check").status == .complete)
        // A shot that a coordinator had not begun to write down when it was killed is no damage.
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
