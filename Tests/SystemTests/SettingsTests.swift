import CaptureModel
import CaptureTestSupport
import Foundation
import Testing

extension System {
    /// `capctl settings set --format json`, as far as the tests read it.
    private struct SettingsAnswer: Decodable, Equatable {
        var cameras: [Camera]
        var settingsId: String
        var timeRigNanoseconds: String?

        struct Camera: Decodable, Equatable {
            var device: String
            var outcome: String
            var effect: Effect?
            var entries: [Entry]
            var problem: RigProblem?
        }

        struct Entry: Decodable, Equatable {
            var result: String
            var value: String?
        }

        struct Effect: Decodable, Equatable {
            var controls: [String: String]
            var evidence: String
            var firstNew: Frame?
            var lastOld: Frame?
            var streamReopened: Bool?
        }

        struct Frame: Decodable, Equatable {
            var rigNanoseconds: String
            var sequence: String
        }
    }

    /// Settings over the wire: one camera states the values of each frame, the other is late, rounds, and says nothing.
    @Suite(.timeLimit(.minutes(1))) struct SettingsTests {
        private func started() async throws -> TestRig {
            var plans = NodePlan.nodes(2, cameras: 1)
            plans[1].cameras[0].virtual = [
                "model: Late camera",
                "controls: { delayFrames: 3, reportsFrameValues: false, steps: { gain: 4 }, refuse: [{ control: gain, from: 20 }] }",
            ]
            return try await TestRig.started(plans)
        }

        private func set(_ rig: TestRig, _ arguments: String..., expecting status: Int32) async throws -> SettingsAnswer
        {
            let outcome = try await rig.capctl.run(["settings", "set"] + arguments + ["--format", "json"])
            #expect(outcome.status == status, "\(outcome.errors)\n\(outcome.output)")
            return try outcome.json(SettingsAnswer.self)
        }

        @Test func `Each camera has an outcome of its own, and what its frames do not show is said to be unknown`()
            async throws
        {
            let rig = try await started()
            let id = "019a0f3e-7b1c-7d2e-8f30-1a2b3c4d5e6f"
            let settings = ["exposure=4ms", "gain=raw:6", "--all", "--at", "+300ms", "--id", id]
            let answer = try await set(
                rig, settings[0], settings[1], "--all", "--at", "+300ms", "--id", id, expecting: 0)
            #expect(answer.cameras.map(\.outcome) == ["set", "rounded"] && answer.settingsId == id)
            #expect(answer.cameras.map(\.effect?.evidence) == ["metadata", "unknown"])
            let time = try #require(answer.timeRigNanoseconds.flatMap { Int64($0) })
            let first = try #require(answer.cameras[0].effect?.firstNew.flatMap { Int64($0.rigNanoseconds) })
            #expect((0...150_000_000).contains(first - time), "within three frames after T, and not before")
            #expect(answer.cameras[1].effect?.firstNew == nil && answer.cameras[1].effect?.lastOld != nil)
            #expect(
                answer.cameras[1].effect?.controls["gain"] == "4" || answer.cameras[1].effect?.controls["gain"] == "8")
            let again = try await rig.capctl.run(["settings", "set"] + settings + ["--format", "json"])
            #expect(try again.json(SettingsAnswer.self) == answer, "a repeat sets nothing")
            try await rig.expectSound(try await rig.trigger("--all", expecting: 0))
            try await rig.end()
        }

        @Test func `A still names the transaction whose settings it has, or says that they may be those before`()
            async throws
        {
            let rig = try await started()
            let answer = try await set(rig, "exposure=4ms", "gain=raw:8", "--all", expecting: 0)
            let id = try #require(SettingsID(answer.settingsId))
            let shot = try await rig.trigger("--all", expecting: 0)
            try await rig.expectSound(shot)
            let timings = try shot.shot.captures.map { try #require($0.timing) }
            #expect(timings.map(\.settings) == [.inForce(id), .changing(from: nil, to: id)])
            #expect(timings.map(\.exposureNanoseconds) == [4_000_000, nil], "the other does not state its own")
            let stills = shot.shot.captures.compactMap { $0.files.first?.path }.map { "\(shot.folder)/\($0)" }
            let exif = try await LivePhotoCheck.tool(["exiftool", "-s3", "-q", "-n", "-ExposureTime"] + stills).output
            #expect(exif == "0.004\n")
            // 60 frames after the acceptance, no camera takes longer.
            let later = try await rig.trigger("--all", "--at", "+4s", expecting: 0)
            #expect(later.shot.captures.map(\.timing?.settings) == [.inForce(id), .inForce(id)])
            try await rig.end()
        }

        @Test func `Where all are required, a camera that fails at T has the others put back`() async throws {
            let rig = try await started()
            _ = try await set(rig, "gain=raw:4", "--all", expecting: 0)
            let answer = try await set(rig, "gain=raw:24", "--all", "--require-all", expecting: 4)
            #expect(answer.cameras.map(\.outcome) == ["undone", "failed"], "\(answer.cameras)")
            #expect(answer.cameras[0].problem?.message.contains("node2/cam1") == true)
            let gain = try await set(rig, "gain=raw:4", "--all", expecting: 0)
            #expect(gain.cameras[0].effect?.controls["gain"] == "4")
            try await rig.end()
        }

        @Test func `A format and an exposure come at one T, and a camera that fails keeps its own format`()
            async throws
        {
            let rig = try await started()
            let answer = try await set(rig, "format=MJPG:320x240", "exposure=4ms", "--all", expecting: 0)
            #expect(answer.cameras.map(\.outcome) == ["set", "set"], "\(answer.cameras)")
            #expect(answer.cameras.map(\.effect?.streamReopened) == [true, true])
            let id = try #require(SettingsID(answer.settingsId))
            let shot = try await rig.trigger("--all", expecting: 0)
            try await rig.expectSound(shot)
            #expect(shot.shot.captures.first?.timing?.settings == .inForce(id))
            let stills = shot.shot.captures.compactMap { $0.files.first?.path }.map { "\(shot.folder)/\($0)" }
            let size = ["exiftool", "-s3", "-q", "-n", "-ImageSize"]
            #expect(try await LivePhotoCheck.tool(size + stills).output == "320 240\n320 240\n")

            // The second camera refuses the gain, so that it opens its format again.
            let mixed = try await set(rig, "format=MJPG:480x360", "gain=raw:24", "--all", expecting: 3)
            #expect(mixed.cameras.map(\.outcome) == ["set", "failed"], "\(mixed.cameras)")
            #expect(mixed.cameras[1].problem?.message.contains("earlier format again") == true)
            let after = try await rig.trigger("--all", expecting: 0)
            try await rig.expectSound(after)
            let sizes = after.shot.captures.compactMap { $0.files.first?.path }.map { "\(after.folder)/\($0)" }
            #expect(try await LivePhotoCheck.tool(size + sizes).output == "480 360\n320 240\n")
            try await rig.end()
        }

        /// Waits until the coordinator's ledger has a transaction in a state.
        private func ledger(of rig: TestRig, has state: String) async throws {
            let path = "\(rig.library)/.caprig/settings.json"
            try await within(.seconds(40), "a transaction to be \(state)") {
                while true {
                    let content = FileManager.default.contents(atPath: path) ?? Data()
                    if String(bytes: content, encoding: .utf8)?.contains(#""state" : "\#(state)""#) == true { return }
                    try await TestRig.pause()
                }
            }
        }

        @Test(arguments: [true, false])
        func `Settings are cancelled before their instant, by a signal or from elsewhere, and no camera is set`(
            bySignal: Bool
        ) async throws {
            let rig = try await started()
            let before = try await rig.exposure(of: "node1/cam1")
            let id = "019a0f3e-7b1c-7d2e-8f30-1a2b3c4d5e6f"
            let setting = try rig.capctl.start([
                "settings", "set", "exposure=4ms", "--all", "--at", "+9s", "--id", id, "--format", "json",
            ])
            try await ledger(of: rig, has: "committed")
            if bySignal {
                setting.send(SIGINT)
            } else {
                let cancelled = try await rig.capctl.run(["settings", "cancel", id, "--format", "json"])
                #expect(cancelled.status == 0, "\(cancelled.errors)\n\(cancelled.output)")
            }
            let output = try await setting.restOfOutput(within: .seconds(40))
            #expect(try await setting.exitStatus(within: .seconds(40)) == (bySignal ? 130 : 4), "\(setting.log)")
            #expect(setting.log.contains("cancelling settings \(id)") == bySignal, "\(setting.log)")
            let answer = try JSONDecoder().decode(SettingsAnswer.self, from: Data(output.utf8))
            #expect(answer.cameras.map(\.outcome) == ["undone", "undone"] && answer.timeRigNanoseconds == nil)
            #expect(try await rig.exposure(of: "node1/cam1") == before)
            try await rig.end()
        }

        @Test func `A calibration that is interrupted puts the exposure back`() async throws {
            let rig = try await started()
            let before = try await rig.exposure(of: "node2/cam1")
            let calibrating = try rig.capctl.start([
                "settings", "calibrate", "--device", "node2/cam1", "--format", "json",
            ])
            try await ledger(of: rig, has: "ended")
            calibrating.send(SIGINT)
            #expect(try await calibrating.exitStatus(within: .seconds(50)) == 130, "\(calibrating.log)")
            #expect(calibrating.log.contains("get their values back"))
            #expect(try await rig.exposure(of: "node2/cam1") == before)
            try await rig.end()
        }

        @Test func `A coordinator that is killed before T ends the transaction after its restart, also if nobody asks`()
            async throws
        {
            let rig = try await started()
            let id = "019a0f3e-7b1c-7d2e-8f30-1a2b3c4d5e6f"
            let arguments = ["settings", "set", "exposure=4ms", "gain=raw:6", "--all", "--at", "+4s", "--id", id]
            let first = try rig.capctl.start(arguments)
            let ledger = "\(rig.library)/.caprig/settings.json"
            @Sendable func stored(_ state: String) -> Bool {
                let content = FileManager.default.contents(atPath: ledger) ?? Data()
                return String(bytes: content, encoding: .utf8)?.contains(#""state" : "\#(state)""#) == true
            }
            try await within(.seconds(20), "the transaction to be stored") {
                while !stored("committed") { try await TestRig.pause() }
            }
            try await rig.kill("coordinator")
            try await first.killNow()
            try await rig.startCoordinator()
            try await within(.seconds(30), "the transaction to end without a client") {
                while !stored("ended") { try await TestRig.pause() }
            }
            let repeated = try await rig.capctl.run(arguments + ["--format", "json"])
            let answer = try repeated.json(SettingsAnswer.self)
            #expect(answer.settingsId == id)
            // It may have been killed before the nodes were told, which then do not know whether they were.
            if answer.cameras.map(\.outcome) != ["lost", "lost"] {
                #expect(repeated.status == 0 && answer.cameras.map(\.outcome) == ["set", "rounded"])
                #expect(answer.cameras.map(\.effect?.evidence) == ["metadata", "unknown"])
            }
            try await rig.end()
        }

        @Test func `A camera that is stopped has its settings deferred to its start, and the other is set`()
            async throws
        {
            let rig = try await started()
            #expect(try await rig.capctl.run(["session", "stop", "node2/cam1"]).status == 0)
            let answer = try await set(rig, "gain=raw:8", "--all", expecting: 3)
            #expect(answer.cameras.map(\.outcome) == ["set", "deferred"])
            #expect(answer.cameras[1].problem?.code == .notRunning)
            let all = try await set(rig, "gain=raw:12", "--all", "--require-all", expecting: 4)
            #expect(all.cameras.map(\.outcome) == ["undone", "refused"], "one of those that are required is stopped")
            #expect(
                all.cameras.allSatisfy { $0.problem?.message.contains("node2/cam1 does not stream") == true },
                "\(all.cameras)")
            #expect(
                try await rig.capctl.run(["settings", "set", "gain=raw:0", "--all", "--node", "node3"]).status == 5)
            #expect(try await rig.capctl.run(["session", "start", "node2/cam1"]).status == 0)
            let shot = try await rig.trigger("--all", "--at", "+4s", expecting: 0)
            let id = try #require(SettingsID(answer.settingsId))
            #expect(shot.shot.captures.map(\.timing?.settings) == [.inForce(id), .inForce(id)])
            try await rig.end()
        }

        @Test func `Settings of a camera that is away wait for its node, also across restarts of the coordinator`()
            async throws
        {
            struct Details: Decodable {
                /// Absent as long as the node is away.
                var capabilities: Capabilities?

                struct Capabilities: Decodable {
                    var controls: [Control]
                }

                struct Control: Decodable {
                    var name: String
                    var value: String?
                }
            }
            let rig = try await started()
            try await rig.kill("node2")
            for _ in 0..<2 {
                try await rig.kill("coordinator")
                try await rig.startCoordinator()
                try await rig.awaitReadiness(["node1"])
                let id = "019a0f3e-7b1c-7d2e-8f30-1a2b3c4d5e60"
                let answer = try await set(rig, "gain=raw:8", "--all", "--id", id, expecting: 3)
                #expect(answer.cameras.map(\.outcome) == ["set", "deferred"], "also of the repeat")
                #expect(answer.cameras[1].problem?.code == .nodeUnreachable)
            }
            #expect(try await set(rig, "gain=raw:4", "--all", "--require-all", expecting: 4).cameras.count == 2)
            try await rig.startAgent("node2")
            try await within(.seconds(20), "the camera to have its gain") { [capctl = rig.capctl] in
                while true {
                    let details = try await capctl.ask(Details.self, "devices", "show", "node2/cam1")
                    let gain = details.capabilities?.controls.first { $0.name == "gain" }
                    if gain?.value == "8" { return }
                    try await TestRig.pause()
                }
            }
            try await rig.end()
        }

        @Test func `A node that was killed gives its cameras their settings again, before their first frame`()
            async throws
        {
            let rig = try await started()
            let answer = try await set(rig, "exposure=4ms", "gain=raw:8", "--all", expecting: 0)
            let id = try #require(SettingsID(answer.settingsId))
            try await rig.kill("node1")
            try await rig.startAgent("node1")
            try await rig.awaitReadiness()
            let shot = try await rig.trigger("--all", "--at", "+4s", expecting: 0)
            let timing = try #require(shot.shot.captures[0].timing)
            #expect(timing.settings == .inForce(id) && timing.exposureNanoseconds == 4_000_000)
            try await rig.end()
        }
    }
}

extension TestRig {
    /// The exposure time of a camera, in the driver's unit.
    fileprivate func exposure(of camera: String) async throws -> String? {
        struct Details: Decodable {
            struct Capabilities: Decodable { var controls: [Control] }
            struct Control: Decodable {
                var name: String
                var value: String?
            }
            var capabilities: Capabilities?
        }
        let shown = try await capctl.run(["devices", "show", camera, "--format", "json"]).json(Details.self)
        return shown.capabilities?.controls.first { $0.name == "exposure_time_absolute" }?.value
    }
}
