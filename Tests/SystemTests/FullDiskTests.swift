import CaptureModel
import CaptureTestSupport
import Testing

extension System {
    @Suite(.timeLimit(.minutes(2)), .needsRoot) struct FullDiskTests {
        private let disk: SmallDisk

        init() throws {
            disk = try SmallDisk(kilobytes: 4096)
        }

        /// Frames of a quarter of a megabyte.
        private func plans() -> [NodePlan] {
            NodePlan.nodes(2, cameras: 1) { ($0.width, $0.height) = (1920, 1080) }
        }

        @Test("Reports pictures as failed when the library's disk is full")
        func fullLibrary() async throws {
            let rig = try await TestRig.started(plans(), library: disk.path + "/library")
            try disk.fill(leaving: 64 << 10)
            let answer = try await rig.trigger("--all", expecting: 4)
            #expect(answer.shot.status == .failed)
            for file in answer.files { #expect(file.outcome == .failed && file.problem?.code == .noSpace) }
            #expect(StillCheck.stills(in: rig.library).isEmpty)

            try disk.free()
            let events = try EventTail(of: rig)
            for node in ["node1", "node2"] {
                try await rig.kill(node)
                try await rig.startAgent(node)
            }
            try await events.next { $0.name == "shot.settled" && $0.details["status"] == "complete" }
            let later = try await rig.shot(answer.shot.id)
            #expect(later.files.allSatisfy { $0.outcome == .late })
            #expect(later.shot.revision > answer.shot.revision)
            try await rig.expectSound(later)
            for node in ["node1", "node2"] { try await rig.awaitEmptySpool(node) }
            try await rig.end()
        }

        @Test("Refuses a shot of which nothing can be written")
        func libraryWithoutRoomForAManifest() async throws {
            let rig = try await TestRig.started(plans(), library: disk.path + "/library")
            try disk.fill(leaving: 0)
            let refused = try await rig.capctl.run("trigger", "--all", "--timeout", "2s")
            #expect(refused.status == 4, "\(refused.output)\(refused.errors)")
            #expect((refused.output + refused.errors).contains("space"), "\(refused.output)\(refused.errors)")
            try disk.free()
            try await rig.expectSound(try await rig.trigger("--all", expecting: 0))
            try await rig.end()
        }

        @Test("Reports a full node, completes the shot of the others, and recovers")
        func fullSpool() async throws {
            var plans = plans()
            plans[0].spool = disk.path + "/spool"
            let rig = try await TestRig.started(plans)
            let events = try EventTail(of: rig)
            try disk.fill(leaving: 96 << 10)
            let told = try await events.next { $0.name == "spool.nearlyFull" && $0.node == "node1" }
            #expect(told.details["reason"]?.contains("spool.reserve") == true)
            try await within(.seconds(10), "the status to say so") { [capctl = rig.capctl] in
                while try await capctl.ask(StatusAnswer.self, "status").nodes.allSatisfy({ $0.spoolShortage == nil }) {
                    try await TestRig.pause()
                }
            }
            let devices = try await rig.capctl.ask(DevicesAnswer.self, "devices")
            #expect(try devices.condition("node1/cam1").state == "running")
            let answer = try await rig.trigger("--all", expecting: 3)
            #expect(try answer.file("node2/cam1").outcome == .done)
            let file = try answer.file("node1/cam1")
            #expect(file.outcome == .missed && file.problem?.code == .noSpace)
            try await rig.expectSound(answer)

            try disk.free()
            try await events.next { $0.name == "spool.hasRoom" && $0.node == "node1" }
            try await rig.expectSound(try await rig.trigger("--all", expecting: 0))
            try await rig.awaitEmptySpool("node1")
            try await rig.end()
        }
    }
}

extension System {
    @Suite(.timeLimit(.minutes(2))) struct TimeoutTests {
        @Test("Waits for a shot as long as the coordinator's timeout allows")
        func longShot() async throws {
            // Longer than a client waits that knows of no other timeout than ten seconds.
            let rig = try await TestRig.started(
                NodePlan.nodes(1, cameras: 1), trigger: "{ timeout: 60s }",
                faults: ["coordinator.collect.wait.stored=delay:21000ms"])
            let answer = try await rig.trigger("--all", expecting: 0)
            #expect(answer.files.map(\.outcome) == [.done])
            try await rig.end()
        }

        @Test("Answers within the timeout when a disk hangs, and takes no picture after that")
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

        @Test("Completes a shot while the disks of all event journals hang")
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

        @Test(
            "shots of other nodes are stored and answered, and all are armed, while the disk hangs with a file of one node",
            arguments: ["library.part.open", "library.part.write", "library.part.sync", "library.part.rename"])
        func hangingFile(at point: String) async throws {
            let rig = try await TestRig.started(NodePlan.nodes(2, cameras: 1), faults: ["\(point)=hang"])
            let stuck = try await rig.trigger("--node", "node1", "--all", "--timeout", "300ms", expecting: 3)
            #expect(stuck.files.map(\.outcome) == [.pending])
            let answer = try await rig.trigger("--node", "node2", "--all", expecting: 0)
            #expect(answer.files.map(\.outcome) == [.done])
            let both = try await rig.trigger("--all", "--timeout", "2s", expecting: 3)
            #expect(Set(both.files.map(\.outcome)) == [.done, .pending])
            // A thread that hangs holds up the orderly end.
            for name in ["node1", "node2", "coordinator"] { try await rig.kill(name) }
        }

        @Test("Fetches an awaited still before another node's clips")
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
