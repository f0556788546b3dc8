import CaptureModel
import CaptureTestSupport
import Glibc
import Testing

extension System {
    @Suite(.timeLimit(.minutes(1))) struct CameraFaultTests {
        /// One node whose cameras are whole, busy, denied and absent.
        private func rigOfBrokenCameras() async throws -> TestRig {
            let faults = [[], ["{ kind: busy }"], ["{ kind: denied }"], ["{ kind: unplugged }"]]
            return try await TestRig.started(NodePlan.nodes(1, cameras: 4) { $0.faults = faults[$0.number - 1] })
        }

        @Test("Reports a broken camera, and runs the others of its node")
        func brokenCamerasAreNamedAndTheOthersGoOn() async throws {
            let rig = try await rigOfBrokenCameras()
            let devices = try await rig.capctl.ask(DevicesAnswer.self, "devices")
            let answer = try await rig.trigger("--all", expecting: 3)
            #expect(try answer.file("node1/cam1").outcome == .done)
            for (camera, state) in [("cam2", "busy"), ("cam3", "denied"), ("cam4", "absent")] {
                let condition = try devices.condition("node1/" + camera)
                #expect(condition.state == state)
                let file = try answer.file("node1/" + camera)
                let reason = try #require(condition.reason)
                #expect(file.outcome == .missed && file.problem?.message.contains(reason) == true)
            }
            try await rig.expectSound(answer)
            try await rig.end()
        }

        @Test("Fires no camera under --require-all when one cannot")
        func requireAllFiresNothing() async throws {
            let rig = try await rigOfBrokenCameras()
            let answer = try await rig.trigger("--all", "--require-all", expecting: 4)
            #expect(answer.files.allSatisfy { $0.outcome == .missed && $0.problem != nil })
            #expect(StillCheck.stills(in: rig.library).isEmpty)
            let events = try EventTail(of: rig)
            try await events.next { event in
                #expect(event.name != "capture.didCapturePhoto")
                return event.name == "shot.settled"
            }
            try await rig.expectSound(try await rig.trigger("--device", "node1/cam1", "--require-all", expecting: 0))
            try await rig.end()
        }

        @Test("Stores no torn image", .needs("jpeginfo"))
        func tornFramesAreNoStills() async throws {
            let faults = ["{ kind: torn, every: 3 }", "{ kind: torn }"]
            let rig = try await TestRig.started(NodePlan.nodes(1, cameras: 2) { $0.faults = [faults[$0.number - 1]] })
            for _ in 0..<6 {
                let answer = try await rig.trigger("--all", expecting: 3)
                #expect(try answer.file("node1/cam1").outcome == .done)
                #expect(try answer.file("node1/cam2").outcome == .missed)
                try await rig.expectSound(answer)
            }
            #expect(StillCheck.stills(in: rig.library).count == 6)
            let devices = try await rig.capctl.ask(DevicesAnswer.self, "devices")
            for camera in ["cam1", "cam2"] {
                #expect(try (devices.condition("node1/" + camera).counters["torn"]?.value ?? 0) > 0)
            }
            try await rig.end()
        }
    }
}

extension System {
    @Suite(.timeLimit(.minutes(3))) struct OverloadTests {
        /// A camera of quarters of a megabyte, whose pictures are collected at a fifth of the rate they are taken at.
        private func rig() async throws -> TestRig {
            var plans = NodePlan.nodes(1, cameras: 1) { ($0.width, $0.height) = (1920, 1080) }
            plans[0].spoolLimit = "3 MiB"
            return try await TestRig.started(plans, rate: "200 kB/s")
        }

        @Test("Bounds memory and counts losses of cameras that are faster than the network")
        func slowNetwork() async throws {
            let rig = try await rig()
            let programs = [try rig.agent("node1"), try rig.coordinator]
            // What a first shot takes for good is not what overload takes.
            try await rig.expectSound(try await rig.trigger("--all", "--timeout", "20s", expecting: 0))
            try await rig.awaitEmptySpool("node1")
            let before = try programs.map { try ProcessFigures(of: $0.processIdentifier) }

            let events = try EventTail(of: rig)
            let triggers = try (0..<24).map { index in
                try rig.startTrigger(["--all", "--at", "+\(2000 + index * 200)ms", "--timeout", "60s"])
            }
            try await events.wait(for: "shot.settled")
            var answers: [ShotAnswer] = []
            for trigger in triggers {
                answers.append(try await Capctl.outcome(of: trigger, within: .seconds(90)).json(ShotAnswer.self))
            }
            let files = answers.flatMap(\.files)
            let refused = files.filter { $0.outcome == .missed && $0.problem?.code == .noSpace }
            #expect(files.count { $0.outcome == .done } + refused.count == 24, "\(files.map(\.problem))")
            #expect(!refused.isEmpty && refused.count < 20, "\(refused.count) were refused")
            for answer in answers { try await rig.expectSound(answer) }
            try await rig.awaitEmptySpool("node1")

            let devices = try await rig.capctl.ask(DevicesAnswer.self, "devices")
            #expect(try devices.condition("node1/cam1").state == "running")
            for (program, figures) in zip(programs, before) {
                let after = try ProcessFigures(of: program.processIdentifier)
                #expect(after.mebibytes < figures.mebibytes + 48, "\(program.name): \(figures), then \(after)")
                #expect(after.descriptors < figures.descriptors + 16, "\(program.name): \(figures), then \(after)")
            }
            // There is room again, and it is used.
            try await rig.expectSound(try await rig.trigger("--all", "--timeout", "20s", expecting: 0))
            try await rig.end()
        }
    }
}

extension System {
    @Suite(.timeLimit(.minutes(1))) struct StartAndEndTests {
        @Test("Refuses a second coordinator on a library, and a second agent on a spool")
        func doubleStartsAreRefused() async throws {
            let rig = try await TestRig.started(NodePlan.nodes(1, cameras: 1))
            let second = try RunningProgram(
                "second coordinator", program: Programs.path("capcoordd"),
                arguments: ["--library", rig.library, "--base-port", "0"], log: rig.folder.path + "/second.log")
            #expect(try await second.exitStatus(within: .seconds(10)) == 1)
            let holder = try rig.coordinator.processIdentifier
            #expect(second.log.contains(rig.library) && second.log.contains("process \(holder)"), "\(second.log)")

            let agent = try RunningProgram(
                "second agent", program: Programs.path("capagentd"),
                arguments: ["--config", rig.folder.path + "/node1.yaml"], log: rig.folder.path + "/third.log")
            #expect(try await agent.exitStatus(within: .seconds(10)) == 1)
            let owner = try rig.agent("node1").processIdentifier
            #expect(agent.log.contains(rig.spool("node1")) && agent.log.contains("process \(owner)"), "\(agent.log)")

            try await rig.expectSound(try await rig.trigger("--all", expecting: 0))
            try await rig.end()
        }

        @Test("Ends without an error with the program that started it")
        func daemonsEndWithTheirInput() async throws {
            let rig = try await TestRig.started(NodePlan.nodes(1, cameras: 1))
            for daemon in [try rig.agent("node1"), try rig.coordinator] {
                daemon.closeInput()
                #expect(try await daemon.exitStatus(within: .seconds(5)) == 0)
            }
        }

        @Test(
            "an agent whose coordinator is away does not run its cameras, or cannot be ended",
            arguments: [SIGTERM, SIGINT])
        func agentAloneRunsAndEnds(signal: Int32) async throws {
            let rig = try TestRig(NodePlan.nodes(1, cameras: 1))
            try await rig.startCoordinator()
            try await rig.startAgent("node1")
            try await rig.kill("coordinator")
            try await rig.kill("node1")
            try await rig.startAgent("node1")
            let agent = try rig.agent("node1")
            agent.send(signal)
            #expect(try await agent.exitStatus(within: .seconds(5)) == 0)
        }
    }
}
