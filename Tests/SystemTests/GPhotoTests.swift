import CaptureModel
import CaptureTestSupport
import Foundation
import Testing

extension System.CapabilityTests {
    /// A DSLR, whose pictures are taken when they are asked for.
    @Suite struct GPhotoTests {
        @Test("Takes pictures with a DSLR beside another camera, as it has made them, and empties its card")
        func pictures() async throws {
            let camera = try await DSLR.started(["--lag", "80"])
            var plan = camera.plan(", lagMilliseconds: 90")
            plan.cameras += System.CapabilityTests.nodes(1)[0].cameras.map { other in
                var other = other
                other.name = "cam2"
                return other
            }
            let rig = try await TestRig.started([plan])
            for number in 1...2 {
                let answer = try await rig.completeShot("--all", "--no-live")
                let capture = try #require(answer.shot.captures.first { $0.device.id.device.rawValue == "cam1" })
                let (timing, file) = (try #require(capture.timing), try #require(capture.files.first))
                #expect(capture.files.count == 1 && file.kind == .photo)
                let truth = try DSLR.truth(of: "\(answer.folder)/\(try #require(file.path))")
                #expect((truth - timing.localMidExposure).magnitude <= timing.midExposure.bound)
                #expect(capture.resolved?.width == 320 && capture.resolved?.height == 240)
                try await camera.waitUntil("deleted", count: number)
            }
            let refused = try await rig.capctl.repeating("trigger", "--device", "node1/cam1", "--at", "-1s")
            #expect(refused.status != 0)
            try await rig.end()
            let record = try await camera.end()
            #expect(record.removed.count >= 2 && record.exposed.count >= record.removed.count)
        }
    }
}

extension System {
    /// Sixteen DSLRs of one node. Each looks into the library at the moment in which it is told to remove a picture.
    @Suite(.timeLimit(.minutes(10))) struct GPhotoManyTests {
        private struct Studio {
            let cameras: [DSLR]
            let rig: TestRig
            let library: TemporaryFolder

            static let count = 16

            /// - Parameters:
            ///   - options: Of each camera.
            ///   - faults: What goes wrong in the agent.
            static func started(_ options: [String], faults: [String] = []) async throws -> Studio {
                let library = try TemporaryFolder()
                var cameras: [DSLR] = []
                for number in 1...count {
                    let own = ["--serial", "FAKE\(number)", "--seed", "\(number)", "--library", library.path]
                    cameras.append(try await DSLR.started(own + options))
                }
                let rig = try await TestRig.started(
                    [DSLR.node(cameras)], library: library.path + "/library", agentFaults: faults)
                return Studio(cameras: cameras, rig: rig, library: library)
            }

            /// Waits until each camera has removed so many pictures, and ends everything. What was removed, the library has, and had then; each
            /// picture of the library was exposed by the camera whose it is.
            func end(removed count: Int) async throws {
                for camera in cameras { try await camera.waitUntil("deleted", count: count) }
                try await rig.end()
                let stills = StillCheck.stills(in: rig.library)
                for (index, camera) in cameras.enumerated() {
                    let own = stills.filter { $0.contains("cam\(index + 1)/") }
                    let stored = Set(try own.map { try DSLR.truth(of: $0) })
                    let record = try await camera.end()
                    #expect(stored.count >= count && stored.isSubset(of: record.exposed), "camera \(index + 1)")
                    #expect(record.lost.isEmpty && record.removed.isSubset(of: stored), "camera \(index + 1)")
                }
            }

            /// Has the agent killed while it takes a shot, starts it again, and takes another shot.
            /// - Parameter kill: Returns when the agent has ended.
            func takeAcross(_ kill: () async throws -> Void) async throws {
                let id = ShotID.fresh()
                let trigger = try rig.startTrigger(["--all", "--no-live", "--id", id.description, "--timeout", "60s"])
                try await kill()
                try await rig.startAgent("node1", isFaulty: false)
                _ = try await Capctl.outcome(of: trigger)
                let answer = try await rig.settledShot(id, ["--all", "--no-live"])
                #expect(answer.shot.captures.count == Self.count)
                try await rig.expectTruthful(answer.shot, in: answer.folder)
                try await rig.awaitReadiness()
                #expect(try await rig.completeShot("--all", "--no-live").files.count == Self.count)
            }
        }

        @Test("Takes the pictures of all of sixteen cameras, and removes none before the library has it")
        func sixteen() async throws {
            let studio = try await Studio.started(["--lag", "30", "--jitter", "50"])
            for _ in 1...3 {
                let options = ["--all", "--no-live", "--lead", "5s", "--timeout", "60s"]
                let outcome = try await Capctl.outcome(of: studio.rig.startTrigger(options))
                #expect(outcome.status == 0, "\(outcome.errors)\n\(outcome.output)")
                let answer = try outcome.json(ShotAnswer.self)
                #expect(answer.files.count == Studio.count && answer.files.allSatisfy { $0.outcome == .done })
                for capture in answer.shot.captures {
                    let timing = try #require(capture.timing)
                    let path = try #require(capture.files.first?.path)
                    let error = try DSLR.truth(of: "\(answer.folder)/\(path)") - timing.localMidExposure
                    #expect(error.magnitude <= timing.midExposure.bound, "\(capture.device.id)")
                }
                try await studio.rig.expectSound(answer)
            }
            try await studio.end(removed: 3)
        }

        /// Where the agent is killed, each when half of the cameras have passed.
        private static let steps = [
            "session.wait.frame", "session.wait.store", "spool.capture.filesDurable", "spool.capture.durable",
            "spool.capture.released",
        ]

        @Test("Removes no picture that the library does not have, wherever the agent crashes", arguments: steps)
        func killed(_ step: String) async throws {
            let studio = try await Studio.started([], faults: ["\(step)=crash,hit=\(Studio.count / 2)"])
            try await studio.takeAcross {
                _ = try await studio.rig.agent("node1").exitStatus(within: TestRig.patience)
            }
            try await studio.end(removed: 1)
        }

        @Test("Removes no picture that the library does not have, if the agent is killed in its downloads")
        func killedInDownload() async throws {
            let studio = try await Studio.started(["--rate", "12000"])
            try await studio.takeAcross {
                try await studio.cameras[0].waitUntil("exposed")
                try await studio.rig.kill("node1")
            }
            try await studio.end(removed: 1)
        }
    }
}
