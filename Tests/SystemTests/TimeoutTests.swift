import CaptureModel
import CaptureTestSupport
import Testing

extension System {
    @Suite(.timeLimit(.minutes(2))) struct TimeoutTests {
        @Test("a shot that takes as long as the coordinator's timeout allows passes for a dead coordinator")
        func longShot() async throws {
            // Longer than a client waits that knows of no other timeout than ten seconds.
            let rig = try await TestRig.started(
                NodePlan.nodes(1, cameras: 1), trigger: "{ timeout: 60s }",
                faults: ["coordinator.collect.wait.stored=delay:21000ms"])
            let answer = try await rig.trigger("--all", expecting: 0)
            #expect(answer.files.map(\.outcome) == [.done])
            try await rig.end()
        }

        @Test("a client waits for a frozen disk beyond its timeout, or a picture is taken after it was told of none")
        func frozenDisk() async throws {
            let rig = try await TestRig.started(
                NodePlan.nodes(1, cameras: 1), faults: ["library.manifest.write=delay:6000ms"])
            let events = try EventTail(of: rig)
            let id = ShotID.fresh().description
            let asked = ContinuousClock.now
            let refused = try await rig.capctl.run("trigger", "--all", "--id", id, "--timeout", "1s")
            #expect(ContinuousClock.now - asked < .seconds(6), "the disk was frozen for six seconds")
            #expect(refused.status == 4 && refused.output.isEmpty, "\(refused.output)\(refused.errors)")
            #expect(refused.errors.contains("not known"), "\(refused.errors)")

            try await events.next { $0.name == "shot.settled" && $0.details["status"] == "failed" }
            let told = try await rig.trigger("--all", "--id", id, "--timeout", "1s", expecting: 4)
            #expect(told.files.map(\.outcome) == [.missed])
            #expect(told.files.map(\.problem?.code) == [.inputOutput])
            #expect(StillCheck.stills(in: rig.library).isEmpty)
            try await rig.expectSound(try await rig.trigger("--all", expecting: 0))
            try await rig.end()
        }

        @Test("a shot is armed, fired, stored and answered while the disks of all event journals hang")
        func hangingJournals() async throws {
            let rig = try await TestRig.started(
                NodePlan.nodes(2, cameras: 1), faults: ["feed.record.write=hang"],
                agentFaults: ["events.record.write=hang"])
            for _ in 0..<2 {
                let answer = try await rig.trigger("--all", expecting: 0)
                #expect(answer.files.map(\.outcome) == [.done, .done])
                try await rig.expectSound(answer)
            }
            let stopped = try await rig.capctl.run("session", "stop", "node1/cam1")
            #expect(stopped.status == 0, "\(stopped.output)\(stopped.errors)")
            // A thread that hangs holds up the orderly end.
            for name in ["node1", "node2", "coordinator"] { try await rig.kill(name) }
        }

        @Test("a still that somebody waits for comes after another node's clips that nobody waits for")
        func stillBeforeClips() async throws {
            var plans = NodePlan.nodes(2, cameras: 2) { $0.isLive = true }
            plans[1].cameras.removeLast()
            plans[1].cameras[0].isLive = false
            let rig = try await TestRig.started(plans, rate: "200 kB/s")
            try await rig.awaitRing(reaching: .milliseconds(1500))
            let incoming = try FolderWatch(rig.library + "/.incoming")
            let clips = try await rig.trigger("--node", "node1", "--all", "--live", "--timeout", "100ms", expecting: 3)
            #expect(clips.shot.status == .open)
            // Two stills, then the first clip.
            try await incoming.wait(for: .came, count: 3, within: .seconds(20))
            let still = try await rig.trigger("--node", "node2", "--all", "--no-live", "--timeout", "8s", expecting: 0)
            #expect(still.files.map(\.outcome) == [.done])
            let left = try await rig.shot(clips.shot.id)
            #expect(left.files.contains { $0.outcome == .pending }, "the clips were there before the still")
            try await rig.end()
        }
    }
}
