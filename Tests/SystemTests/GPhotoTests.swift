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
            let (exposed, removed) = try await camera.end()
            #expect(removed.count >= 2 && exposed.count >= removed.count)
        }
    }
}

extension System {
    @Suite(.timeLimit(.minutes(10))) struct GPhotoCrashTests {
        /// Where the agent is killed, and at which pass.
        private static let steps = [
            "session.wait.frame", "session.wait.store", "spool.capture.filesDurable", "spool.capture.durable",
            "spool.capture.released",
        ]

        @Test("Never removes a picture that the library does not have, wherever the agent crashes", arguments: steps)
        func killed(_ step: String) async throws {
            let camera = try await DSLR.started()
            let rig = try await TestRig.started([camera.plan()], agentFaults: ["\(step)=crash"])
            let id = ShotID.fresh()
            let trigger = try rig.startTrigger(["--all", "--no-live", "--id", id.description, "--timeout", "60s"])
            _ = try await rig.agent("node1").exitStatus(within: TestRig.patience)
            try await rig.startAgent("node1", isFaulty: false)
            _ = try await Capctl.outcome(of: trigger)
            let answer = try await rig.settledShot(id, ["--all", "--no-live"])
            try await rig.expectTruthful(answer.shot, in: answer.folder)
            try await rig.awaitReadiness()
            _ = try await rig.completeShot("--all", "--no-live")
            try await camera.waitUntil("deleted")
            try await expectSafe(camera, rig)
        }

        @Test("Never removes a picture that the library does not have, if the agent is killed in its download")
        func killedInDownload() async throws {
            let camera = try await DSLR.started(["--rate", "12000"])
            let rig = try await TestRig.started([camera.plan()])
            let id = ShotID.fresh()
            let trigger = try rig.startTrigger(["--all", "--no-live", "--id", id.description, "--timeout", "60s"])
            try await camera.waitUntil("exposed")
            try await rig.kill("node1")
            try await rig.startAgent("node1")
            _ = try await Capctl.outcome(of: trigger)
            let answer = try await rig.settledShot(id, ["--all", "--no-live"])
            try await rig.expectTruthful(answer.shot, in: answer.folder)
            try await rig.awaitReadiness()
            _ = try await rig.completeShot("--all", "--no-live")
            try await camera.waitUntil("deleted")
            try await expectSafe(camera, rig)
        }

        /// Every picture that is not on the card any longer is in the library.
        private func expectSafe(_ camera: DSLR, _ rig: TestRig) async throws {
            let stored = Set(try StillCheck.stills(in: rig.library).map(DSLR.truth))
            try await rig.end()
            let (exposed, removed) = try await camera.end()
            #expect(!removed.isEmpty && Set(removed).isSubset(of: stored))
            #expect(stored.isSubset(of: exposed))
        }
    }
}
