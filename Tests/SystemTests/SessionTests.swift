import CaptureModel
import Testing

extension System {
    @Suite(.timeLimit(.minutes(1))) struct SessionTests {
        @Test("a camera cannot be stopped for another program and started again, or the feed does not tell")
        func stopAndStart() async throws {
            let rig = try await TestRig.started(NodePlan.nodes(1, cameras: 2))
            let events = try EventTail(of: rig)
            let stopped = try await rig.capctl.ask(SessionAnswer.self, "session", "stop", "node1/cam1")
            #expect(stopped.sessions.map(\.condition?.state) == ["stopped"])
            try await events.next { $0.name == "session.didStopRunning" && $0.device == "node1/cam1" }
            let answer = try await rig.trigger("--all", expecting: 3)
            #expect(try answer.file("node1/cam1").problem?.code == .notRunning)
            #expect(try answer.file("node1/cam2").outcome == .done)
            let started = try await rig.capctl.ask(SessionAnswer.self, "session", "start", "--all")
            #expect(started.sessions.allSatisfy { $0.condition?.state == "running" })
            try await events.next { $0.name == "session.didStartRunning" && $0.device == "node1/cam1" }
            try await rig.expectSound(try await rig.trigger("--all", expecting: 0))
            try await rig.end()
        }

        @Test("an unplugged camera is not told of on the feed, or its return is not")
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

        @Test("a camera that was given up cannot be had again without a restart of the agent")
        func resume() async throws {
            var plans = NodePlan.nodes(1, cameras: 1) {
                $0.faults = ["{ kind: stalled, afterSeconds: 1, forSeconds: 6 }"]
            }
            plans[0].recovery = "{ failures: 1 }"
            let rig = try await TestRig.started(plans)
            let events = try EventTail(of: rig)
            try await events.next { $0.name == "session.runtimeError" && $0.details["restarts"] == "false" }
            let failed = try await rig.capctl.ask(DevicesAnswer.self, "devices").condition("node1/cam1")
            #expect(failed.state == "failed" && failed.reason?.contains("capctl resume") == true)
            let resumed = try await rig.capctl.ask(SessionAnswer.self, "resume", "node1/cam1", "--timeout", "30s")
            #expect(resumed.sessions.map(\.condition?.state) == ["running"])
            try await rig.end()
        }
    }
}

/// `capctl session … --format json`.
private struct SessionAnswer: Decodable {
    var sessions: [Item]

    struct Item: Decodable {
        var device: String
        var condition: Condition?
        var problem: String?
    }

    struct Condition: Decodable {
        var state: String
    }
}
