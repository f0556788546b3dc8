import CaptureModel
import CaptureTestSupport
import Foundation
import Testing

extension System {
    /// The files of shots on machines that cannot open the library.
    @Suite(.timeLimit(.minutes(3))) struct ShotsGetTests {
        /// Reading that is slow enough to be cut off in the middle of a file.
        private static let slowReads = ["coordinator.asset.wait.read=delay:150ms,times=always"]

        @Test("Fetches and exports every file of a shot where the library's path leads nowhere")
        func withoutLibrary() async throws {
            let rig = try await TestRig.started(NodePlan.nodes(2, cameras: 2))
            let answer = try await rig.trigger("--all", "--preview", expecting: 0)
            let id = answer.shot.id.description
            let (files, away) = (FileManager.default, rig.library + ".away")
            let target = rig.folder.path + "/fetched"
            // What the coordinator has open stays open; nobody else finds it.
            try files.moveItem(atPath: rig.library, toPath: away)
            let first = try await rig.get(id, to: target)
            #expect(first.files.count == 8 && first.files.allSatisfy { $0.outcome == "fetched" })
            try Self.expectDigests(first)
            let second = try await rig.get(id, to: target)
            #expect(second.files.allSatisfy { $0.outcome == "present" })

            let chosen = try await rig.get(
                id, "--device", "node1/*", "--file", "photo.jpg", "--file", "node1.cam2/preview.jpg",
                to: target + "-chosen")
            #expect(
                Set(chosen.files.compactMap(\.path)) == [
                    "node1.cam1/photo.jpg", "node1.cam2/photo.jpg", "node1.cam2/preview.jpg",
                ])
            #expect(try await rig.capctl.run("shots", "get", id, "--device", "x", "--to", target + "-none").status == 5)

            let exported = try await rig.capctl.run("export", id, "--to", target + "-export")
            #expect(exported.status == 0, "\(exported.output)\(exported.errors)")
            for path in first.files.compactMap(\.path) {
                #expect(files.contentsEqual(atPath: "\(target)/\(path)", andPath: "\(target)-export/\(id)/\(path)"))
            }
            // Whoever makes small pictures may have made a folder of this name.
            try? files.removeItem(atPath: rig.library)
            try files.moveItem(atPath: away, toPath: rig.library)
            #expect(files.contentsEqual(atPath: target + "/shot.json", andPath: answer.folder + "/shot.json"))
            try await rig.expectSound(answer)
            try await rig.end()
        }

        @Test(
            "Says of each file that is altered, missing, in the way or was never taken what it is, and keeps the others"
        )
        func someFiles() async throws {
            let rig = try await TestRig.started(NodePlan.nodes(1, cameras: 4))
            let answer = try await rig.trigger("--all", expecting: 0)
            let (id, target) = (answer.shot.id.description, rig.folder.path + "/fetched")
            let stored = try (1...4).map { try #require(try answer.file("node1/cam\($0)").path) }
            var altered = try Data(contentsOf: URL(filePath: stored[0]))
            altered[altered.count / 2] ^= 1
            try altered.write(to: URL(filePath: stored[0]))
            try FileManager.default.removeItem(atPath: stored[1])
            try FileManager.default.createDirectory(atPath: target + "/node1.cam3", withIntermediateDirectories: true)
            try Data("mine".utf8).write(to: URL(filePath: target + "/node1.cam3/photo.jpg"))
            let report = try await rig.get(id, to: target, expecting: 3)
            #expect(report.files.map(\.outcome) == ["altered", "missing", "conflict", "fetched"])
            #expect(try String(contentsOfFile: target + "/node1.cam3/photo.jpg", encoding: .utf8) == "mine")
            let left = try FileManager.default.subpathsOfDirectory(atPath: target).filter { $0.hasSuffix(".part") }
            #expect(left.isEmpty)

            let other = try await rig.trigger("--device", "node1/cam4", expecting: 0)
            let refused = try await rig.capctl.run("shots", "get", other.shot.id.description, "--to", target)
            #expect(refused.status == 4 && refused.errors.contains("another shot"), "\(refused.errors)")
            try await rig.end()
        }

        @Test("Goes on with a large file when the coordinator is killed and started again")
        func coordinatorKilled() async throws {
            let rig = try await TestRig.started(
                NodePlan.nodes(1, cameras: 1) { camera in
                    (camera.width, camera.height) = (1920, 1080)
                }, faults: Self.slowReads)
            let id = try await Self.recordMovie(rig)
            let target = rig.folder.path + "/fetched"
            let getting = try rig.capctl.start(["shots", "get", id, "--to", target, "--format", "json"])
            try await Self.awaitPart(target)
            try await rig.kill("coordinator")
            #expect(!FileManager.default.fileExists(atPath: target + "/node1.cam1/movie.mov"), "half of it is missing")
            try await rig.startCoordinator()
            let outcome = try await Capctl.outcome(of: getting)
            #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
            let report = try outcome.json(GetAnswer.self)
            #expect(report.files.allSatisfy { $0.outcome == "fetched" })
            try Self.expectDigests(report)
            try await rig.end()
        }

        @Test("Goes on with a part of a file that an earlier run has left, and begins again where that part is damaged")
        func clientKilled() async throws {
            let rig = try await TestRig.started(
                NodePlan.nodes(1, cameras: 1) { camera in
                    (camera.width, camera.height) = (1920, 1080)
                }, faults: Self.slowReads)
            let id = try await Self.recordMovie(rig)
            for damages in [false, true] {
                let target = rig.folder.path + "/fetched-\(damages)"
                let getting = try rig.capctl.start(["shots", "get", id, "--to", target])
                try await Self.awaitPart(target)
                getting.send(SIGSTOP)
                // Beside one that works, or stands still, nobody takes its file.
                let beside = try await rig.get(id, to: target, expecting: 3)
                #expect(beside.files.map(\.outcome).contains("failed"))
                try await getting.killNow()
                let part = target + "/node1.cam1/movie.mov.part"
                let before = try FileManager.default.attributesOfItem(atPath: part)
                if damages {
                    let file = try FileHandle(forUpdating: URL(filePath: part))
                    try file.write(contentsOf: Data(repeating: 0, count: 100))
                    try file.close()
                }
                let report = try await rig.get(id, to: target)
                try Self.expectDigests(report)
                let after = try FileManager.default.attributesOfItem(atPath: target + "/node1.cam1/movie.mov")
                #expect(before[.systemFileNumber] as? Int == after[.systemFileNumber] as? Int, "the same file went on")
            }
            try await rig.end()
        }

        /// Some mebibytes.
        private static func recordMovie(_ rig: TestRig) async throws -> String {
            _ = try await rig.record("start", "--all", expecting: 0)
            try await rig.awaitRecording(of: 1, reaching: .seconds(3))
            return try await rig.record("stop", expecting: 0).take.id.description
        }

        /// Waits until some of the movie has come.
        private static func awaitPart(_ target: String) async throws {
            try await within(.seconds(20), "a part of the movie") {
                while true {
                    let found = try? FileManager.default.attributesOfItem(
                        atPath: target + "/node1.cam1/movie.mov.part")
                    if let size = found?[.size] as? Int, size > 0 { return }
                    try await TestRig.pause()
                }
            }
        }

        /// As a program says that nobody here wrote.
        private static func expectDigests(_ report: GetAnswer) throws {
            for file in report.files {
                let path = try #require(file.path)
                let told = try ExternalTool.run("sha256sum", "\(report.folder)/\(path)")
                #expect(told.output.hasPrefix(try #require(file.sha256) + " "), "\(path): \(told.output)")
            }
        }
    }
}

/// `capctl shots get --format json`.
private struct GetAnswer: Decodable, Sendable {
    var files: [File]
    var folder: String

    struct File: Decodable, Sendable {
        var outcome: String
        var path: String?
        var sha256: String?
    }
}

extension TestRig {
    fileprivate func get(
        _ arguments: String..., to target: String, expecting status: Int32 = 0
    ) async throws -> GetAnswer {
        let outcome = try await capctl.run(["shots", "get"] + arguments + ["--to", target, "--format", "json"])
        #expect(outcome.status == status, "\(outcome.errors)\n\(outcome.output)")
        return try outcome.json(GetAnswer.self)
    }
}
