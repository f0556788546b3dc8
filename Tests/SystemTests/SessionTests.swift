import CaptureModel
import Testing

extension System {
    @Suite(.timeLimit(.minutes(1))) struct SessionTests {
        @Test("Stops and starts a camera for another program, and reports it on the feed")
        func stopAndStart() async throws {
            let rig = try await TestRig.started(NodePlan.nodes(1, cameras: 2))
            let events = try EventTail(of: rig)
            let stopped = try await rig.capctl.ask(SessionAnswer.self, "session", "stop", "node1/cam1")
            #expect(stopped.sessions.map(\.condition?.state) == ["stopped"])
            try await events.next { $0.name == "session.didStopRunning" && $0.device == "node1/cam1" }
            let answer = try await rig.trigger("--all", expecting: 0)
            #expect(answer.files.map(\.device.description) == ["node1/cam2"])
            #expect(answer.shot.leftOut.map(\.device.description) == ["node1/cam1"])
            let named = try await rig.trigger(
                "--all", "--device", "node1/cam1", "--device", "node1/cam2", expecting: 3)
            #expect(try named.file("node1/cam1").problem?.code == .notRunning)
            #expect(try named.file("node1/cam2").outcome == .done)
            let required = try await rig.trigger("--all", "--require-all", expecting: 4)
            #expect(try required.file("node1/cam1").problem?.code == .notRunning)
            let started = try await rig.capctl.ask(SessionAnswer.self, "session", "start", "--all")
            #expect(started.sessions.allSatisfy { $0.condition?.state == "running" })
            try await events.next { $0.name == "session.didStartRunning" && $0.device == "node1/cam1" }
            try await rig.expectSound(try await rig.trigger("--all", expecting: 0))
            try await rig.end()
        }

        @Test("Publishes what can no longer be requested of a camera, with the reason, and that it can again")
        func abilities() async throws {
            let rig = try await TestRig.started(NodePlan.nodes(1, cameras: 1))
            let events = try EventTail(of: rig)
            _ = try await rig.capctl.ask(SessionAnswer.self, "session", "stop", "node1/cam1")
            func next(_ ability: String, _ available: String) async throws -> [String: String] {
                try await events.next {
                    $0.name == "device.abilityChanged" && $0.device == "node1/cam1"
                        && $0.details["ability"] == ability && $0.details["available"] == available
                }.details
            }
            #expect(try await next("photo", "false")["reason"]?.contains("capctl session start node1/cam1") == true)
            _ = try await rig.capctl.ask(SessionAnswer.self, "session", "start", "node1/cam1")
            #expect(try await next("photo", "true")["reason"] == nil)
            #expect(try await next("flash", "true")["reason"] == nil)
            let shown = try await rig.capctl.run("devices", "show", "node1/cam1")
            #expect(shown.output.contains("flash          available"), "\(shown.output)")
            try await rig.end()
        }

        @Test("Takes pictures in the orientation that the rig reports")
        func turn() async throws {
            let rig = try await TestRig.started(NodePlan.nodes(1, cameras: 2))
            let turned = try await rig.capctl.ask(
                SessionAnswer.self, "session", "turn", "node1/cam1", "--orientation", "270", "--mirrored")
            #expect(turned.sessions.map(\.condition?.state) == ["running"])
            let answer = try await rig.trigger("--all", expecting: 0)
            let captures = answer.shot.captures
            #expect(captures.map(\.resolved?.orientation) == [.degrees270, .degrees0])
            #expect(captures.map(\.resolved?.mirrored) == [true, nil])
            let shown = try await rig.capctl.run("devices", "show", "node1/cam1")
            #expect(shown.output.contains("turned clockwise by 270 degrees, mirrored"), "\(shown.output)")
            try await rig.end()
        }

        @Test("Reports on the feed that a camera is unplugged and back")
        func interruption() async throws {
            let rig = try await TestRig.started(
                NodePlan.nodes(1, cameras: 2) { camera in
                    if camera.number == 1 { camera.faults = ["{ kind: unplugged, afterSeconds: 2, forSeconds: 2 }"] }
                })
            let events = try EventTail(of: rig)
            let begin = try await events.next { $0.name == "session.wasInterrupted" }
            #expect(begin.device == "node1/cam1" && begin.details["interruption"] == "deviceAbsent")
            let end = try await events.next { $0.name == "session.interruptionEnded" }
            #expect(end.details["interruption"] == "deviceAbsent")
            try await events.next { $0.name == "session.didStartRunning" && $0.device == "node1/cam1" }
            try await rig.end()
        }

        @Test("Resumes a camera that was given up without a restart")
        func resume() async throws {
            var plans = NodePlan.nodes(1, cameras: 1) {
                // Longer than an attempt waits for its first frame.
                $0.faults = ["{ kind: stalled, afterSeconds: 1, forSeconds: 10 }"]
            }
            plans[0].recovery = "{ failures: 1 }"
            let rig = try await TestRig.started(plans)
            let events = try EventTail(of: rig)
            try await events.next { $0.name == "session.runtimeError" && $0.details["restarts"] == "false" }
            // The roster hears of it with the next heartbeat.
            try await within(TestRig.patience, "the roster to say how the camera stands") { [capctl = rig.capctl] in
                let reason = "capctl resume node1/cam1"
                while try await capctl.ask(DevicesAnswer.self, "devices").condition("node1/cam1").reason?
                    .contains(reason) != true
                { try await TestRig.pause() }
            }
            let resumed = try await rig.capctl.ask(SessionAnswer.self, "resume", "node1/cam1", "--timeout", "30s")
            #expect(resumed.sessions.map(\.condition?.state) == ["running"])
            try await rig.end()
        }

        @Test("Switches to another camera, closes the old one, and shoots with the new one")
        func switching() async throws {
            let rig = try await TestRig.started(NodePlan.nodes(1, cameras: 2))
            let asked = try await rig.capctl.run(
                "session", "switch", "--check", "node1/cam1", "cam2", "--format", "json")
            #expect(asked.status == 4, "\(asked.errors)")
            let told = try asked.json(SwitchAnswer.self)
            let busy = try await rig.capctl.run("session", "switch", "node1/cam1", "cam2")
            #expect(busy.status == 4 && busy.errors.contains("capctl session stop node1/cam2"), "\(busy.errors)")
            #expect(!told.isAllowed && told.objection?.reason == "deviceInUse")
            #expect(busy.errors.contains(try #require(told.objection).problem.message), "\(busy.errors)")
            _ = try await rig.capctl.ask(SessionAnswer.self, "session", "stop", "node1/cam2")
            let free = try await rig.capctl.ask(
                SwitchAnswer.self, "session", "switch", "--check", "node1/cam1", "cam2")
            #expect(free.isAllowed && free.objection == nil)
            try await expect(rig, ["node1/cam1": "running", "node1/cam2": "stopped"])
            let answer = try await rig.capctl.ask(SessionAnswer.self, "session", "switch", "node1/cam1", "cam2")
            #expect(answer.sessions.map(\.device) == ["node1/cam2"])
            #expect(answer.sessions.first?.condition?.state == "running")
            #expect(answer.sessions.first?.changes?.first == "input: node1/cam1 → node1/cam2")
            try await expect(rig, ["node1/cam1": "stopped", "node1/cam2": "running"])
            let shot = try await rig.trigger("--all", expecting: 0)
            #expect(shot.files.map(\.device.description) == ["node1/cam2"])
            try await rig.expectSound(shot)
            try await rig.end()
        }

        @Test("Keeps the running camera when the other one does not open")
        func switchingBack() async throws {
            let rig = try await TestRig.started(
                NodePlan.nodes(1, cameras: 2) { if $0.number == 2 { $0.faults = ["{ kind: busy }"] } })
            _ = try await rig.capctl.ask(SessionAnswer.self, "session", "stop", "node1/cam2")
            let refused = try await rig.capctl.run("session", "switch", "node1/cam1", "cam2")
            #expect(refused.status == 4, "\(refused.output)")
            for part in [
                "node1/cam1 is not switched to cam2", "another program", "node1/cam1 is running",
                "node1/cam2 is stopped",
            ] {
                #expect(refused.errors.contains(part), "\(refused.errors)")
            }
            try await expect(rig, ["node1/cam1": "running", "node1/cam2": "stopped"])
            let shot = try await rig.trigger("--device", "node1/cam1", expecting: 0)
            try await rig.expectSound(shot)
            try await rig.end()
        }

        @Test("Uses the result of a stop, switch or start in a trigger right after it")
        func acknowledged() async throws {
            let rig = try await TestRig.started(NodePlan.nodes(1, cameras: 2))
            for _ in 0..<4 {
                _ = try await rig.capctl.ask(SessionAnswer.self, "session", "stop", "node1/cam1")
                let other = try await rig.trigger("--first", "--type", "wide", expecting: 0)
                #expect(other.files.map(\.device.description) == ["node1/cam2"])
                _ = try await rig.capctl.ask(SessionAnswer.self, "session", "switch", "node1/cam2", "cam1")
                let switched = try await rig.trigger("--first", "--type", "wide", expecting: 0)
                #expect(switched.files.map(\.device.description) == ["node1/cam1"])
                _ = try await rig.capctl.ask(SessionAnswer.self, "session", "start", "node1/cam2")
                try await expect(rig, ["node1/cam1": "running", "node1/cam2": "running"])
            }
            try await rig.end()
        }

        @Test(
            "a camera that was renamed is named as not configured and left out, until it is forgotten")
        func renamed() async throws {
            var plans = NodePlan.nodes(1, cameras: 2)
            let rig = try await TestRig.started(plans)
            try await rig.kill("node1")
            plans[0].cameras[1].name = "attic"
            try await rig.startAgent("node1", as: plans[0])
            try await within(TestRig.patience, "the agent to join with its cameras") { [capctl = rig.capctl] in
                while true {
                    let devices = try await capctl.ask(DevicesAnswer.self, "devices").devices
                    if devices.count(where: { $0.condition.state == "running" }) == 2, devices.count == 3 { return }
                    try await TestRig.pause()
                }
            }
            try await rig.awaitReadiness()
            try await expect(rig, ["node1/cam1": "running", "node1/attic": "running", "node1/cam2": "notConfigured"])
            let answer = try await rig.trigger("--all", expecting: 0)
            #expect(answer.files.map(\.device.description).sorted() == ["node1/attic", "node1/cam1"])
            #expect(answer.notConfigured == ["node1/cam2"])
            let required = try await rig.capctl.run("trigger", "--all", "--require-all")
            let remedy = "capctl devices forget node1/cam2"
            #expect(required.status == 5 && required.errors.contains(remedy), "\(required.errors)")
            #expect(try await rig.capctl.run("status").output.contains(remedy))
            let present = try await rig.capctl.run("devices", "forget", "node1/cam1", "node1/cam2")
            #expect(present.status == 4 && present.errors.contains("node1/cam1"), "\(present.errors)")
            #expect(try await rig.capctl.run("devices", "forget", "node1/cam2").status == 0)
            try await expect(rig, ["node1/cam1": "running", "node1/attic": "running"])
            #expect(try await rig.trigger("--all", "--require-all", expecting: 0).notConfigured == nil)
            try await rig.end()
        }

        @Test(
            "a camera that records is stopped only by force, and the answer says what is cut off"
        )
        func stopRecording() async throws {
            let rig = try await TestRig.started(NodePlan.nodes(1, cameras: 2))
            let take = try await rig.record("start", "--all", expecting: 0).take.id
            let refused = try await rig.capctl.run("session", "stop", "node1/cam1")
            #expect(refused.status == 4 && refused.output.contains("capctl record stop \(take)"), "\(refused.output)")
            let cut = try await rig.capctl.ask(SessionAnswer.self, "session", "stop", "--force", "node1/cam1")
            #expect(cut.sessions.map(\.condition?.state) == ["stopped"])
            #expect(cut.sessions.first?.changes?.first?.contains("take \(take) ended early, after") == true)
            let ended = try await rig.record("stop", expecting: 3)
            #expect(ended.take.captures.map(\.movie?.end) == [.interrupted, .stopped])
            try await rig.end()
        }

        /// What an acknowledged command has changed, the rig tells at once.
        private func expect(_ rig: TestRig, _ states: [String: String]) async throws {
            let devices = try await rig.capctl.ask(DevicesAnswer.self, "devices").devices
            let told = Dictionary(uniqueKeysWithValues: devices.map { ($0.device.id, $0.condition.state) })
            #expect(told == states)
        }
    }
}

/// `capctl session switch --check … --format json`.
private struct SwitchAnswer: Decodable {
    var isAllowed: Bool
    var objection: Objection?

    struct Objection: Decodable {
        var reason: String
        var problem: RigProblem
    }
}

/// `capctl session … --format json`.
private struct SessionAnswer: Decodable {
    var sessions: [Item]

    struct Item: Decodable {
        var device: String
        var condition: Condition?
        var changes: [String]?
        var problem: String?
    }

    struct Condition: Decodable {
        var state: String
    }
}
