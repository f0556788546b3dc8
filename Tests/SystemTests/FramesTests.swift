import CaptureModel
import CaptureTestSupport
import Foundation
import Testing

extension System {
    @Suite(.timeLimit(.minutes(2))) struct FramesTests {
        @Test("Bounds the memory for a stopped viewer, and serves another")
        func stoppedViewer() async throws {
            let rig = try await TestRig.started(
                NodePlan.nodes(1, cameras: 1) { ($0.width, $0.height, $0.framesPerSecond) = (1280, 720, 30) })
            try await rig.awaitRing(reaching: .milliseconds(2900))
            let stopped = try rig.startPreview("--kind", "full", "--output", "/dev/null")
            try await rig.awaitFrames { $0.watched == 1 && $0.published.value > 10 }
            stopped.send(SIGSTOP)
            let before = try await rig.frames()
            let memory = try rig.residentBytes("node1")
            let watching = try await rig.capctl.run(
                "frames", "hz", "node1/cam1", "--kind", "full", "--for", "5s", "--format", "json")
            let stream = try #require(try watching.json(RateAnswer.self).streams.first)
            #expect(watching.status == 0 && stream.frames > 60, "another viewer gets its frames at the same time")
            #expect(stream.dropsSuperseded.value < 30)
            let age = try #require(stream.latencyP50Nanoseconds?.value)
            #expect(age < 50_000_000, "nor are they old")
            let after = try await rig.frames()
            // So many bytes, or nearly as many, wait for the viewer that has stopped where its queue has no bound.
            let published = after.publishedBytes.value - before.publishedBytes.value
            #expect(published > 8 << 20, "enough frames to notice")
            #expect(try rig.residentBytes("node1") - memory < Int(published) / 3)

            stopped.send(SIGCONT)
            let others = try await rig.frames().published.value
            try await rig.awaitFrames { $0.published.value > others + 10 }
            try await stopped.killNow()
            try await rig.awaitFrames { $0.watched == 0 }
            try await rig.expectSound(try await rig.trigger("--all", expecting: 0))
            try await rig.end()
        }

        @Test("Sends readable pictures, and only while somebody watches")
        func onlyWhileWatched() async throws {
            let rig = try await TestRig.started(NodePlan.nodes(1, cameras: 2))
            try await rig.awaitRing(reaching: .seconds(1))
            let unwatched = try await rig.frames()
            #expect(unwatched.scaled.value == 0 && unwatched.published.value == 0 && unwatched.watched == 0)

            let file = rig.folder.path + "/pictures.mjpeg"
            let outcome = try await rig.capctl.run(
                "preview", "node1/cam2", "--size", "320x180", "--count", "5", "--output", file)
            #expect(outcome.status == 0, "\(outcome.errors)")
            let bytes = try Data(contentsOf: URL(filePath: file))
            #expect(bytes.starts(with: [0xFF, 0xD8]) && bytes.suffix(2) == Data([0xFF, 0xD9]))
            try await rig.awaitFrames { $0.watched == 0 && $0.scaled.value >= 5 }
            let (first, _) = (try await rig.frames(), try await rig.awaitHeartbeats())
            #expect(try await rig.frames().scaled.value == first.scaled.value)
            try await rig.end()
        }

        @Test("Shows the live pictures of a turned camera upright", .needs("jpeginfo", "exiftool"))
        func turned() async throws {
            let rig = try await TestRig.started(
                NodePlan.nodes(1, cameras: 1) { ($0.width, $0.height, $0.framesPerSecond) = (640, 360, 30) })
            try await rig.awaitRing(reaching: .seconds(1))
            let turned = try await rig.capctl.run("session", "turn", "node1/cam1", "--orientation", "90")
            #expect(turned.status == 0, "\(turned.errors)")
            for (kind, size) in [("full", "360 x  640"), ("quarter", "90 x  160")] {
                let file = "\(rig.folder.path)/\(kind).jpg"
                let outcome = try await rig.capctl.run(
                    "preview", "node1/cam1", "--kind", kind, "--count", "1", "--output", file)
                #expect(outcome.status == 0, "\(outcome.errors)")
                let info = try await LivePhotoCheck.tool(["jpeginfo", "-c", file])
                #expect(info.output.contains(size) && info.output.contains("OK"), "\(info.output)")
                #expect(try await LivePhotoCheck.tool(["exiftool", "-Orientation", file]).output == "", "turned twice")
            }
            try await rig.end()
        }

        @Test("Follows an agent that restarts on another port")
        func agentRestarted() async throws {
            let rig = try await TestRig.started(NodePlan.nodes(1, cameras: 1))
            let viewer = try rig.startPreview("--count", "200", "--timeout", "30s", "--output", "/dev/null")
            try await rig.awaitFrames { $0.published.value > 20 }
            try await rig.kill("node1")
            try await rig.startAgent("node1")
            #expect(try await viewer.exitStatus(within: .seconds(60)) == 0, "\(viewer.log)")
            try await rig.end()
        }

        @Test("Tells a viewer why an absent camera has no pictures")
        func unknownCamera() async throws {
            let rig = try await TestRig.started(NodePlan.nodes(1, cameras: 1))
            for command in [["preview"], ["frames", "hz"], ["frames", "bw"], ["frames", "info"]] {
                let unknown = try await rig.capctl.run(command + ["node9/cam1"])
                #expect(unknown.status == 5 && unknown.errors.contains("no camera 'node9/cam1'"), "\(unknown.errors)")
                #expect(unknown.errors.contains("  node1/cam1  "), "nor what there is")
            }
            let shot = try await rig.trigger("--all", expecting: 0).shot.id.description
            let watch = try await rig.capctl.run("watch", shot, "--device", "node1/cam7")
            #expect(watch.status == 0 && watch.errors.contains("no device 'node1/cam7' yet"), "\(watch.errors)")
            let known = try await rig.capctl.run("watch", shot)
            #expect(known.status == 0 && known.errors == "", "\(known.errors)")
            try await rig.capctl.run("session", "stop", "node1/cam1")
            let silent = try await rig.capctl.run("preview", "node1/cam1", "--timeout", "1s")
            #expect(silent.status == 4 && silent.errors.contains("node1/cam1/preview"), "\(silent.errors)")
            try await rig.end()
        }
    }
}

/// `capctl frames info --format json`, as far as the tests read it.
private struct FramesAnswer: Decodable {
    var nodes: [Node]

    struct Node: Decodable, Sendable {
        var watched: Int
        var published: DecimalText<UInt64>
        var publishedBytes: DecimalText<UInt64>
        var scaled: DecimalText<UInt64>
    }
}

/// `capctl frames hz --format json`, as far as the tests read it.
private struct RateAnswer: Decodable {
    var streams: [Stream]

    struct Stream: Decodable {
        var frames: Int
        var dropsSuperseded: DecimalText<UInt64>
        var latencyP50Nanoseconds: DecimalText<Int64>?
    }
}

extension TestRig {
    fileprivate func startPreview(_ arguments: String...) throws -> RunningProgram {
        try capctl.start(["preview", "node1/cam1"] + arguments)
    }

    /// The frames channel of the only node, as the coordinator last heard of it.
    fileprivate func frames() async throws -> FramesAnswer.Node {
        try #require(try await capctl.ask(FramesAnswer.self, "frames", "info").nodes.first)
    }

    fileprivate func awaitFrames(_ isMet: @Sendable @escaping (FramesAnswer.Node) -> Bool) async throws {
        try await within(Self.patience, "the frames channel") {
            while true {
                if let node = try await self.capctl.ask(FramesAnswer.self, "frames", "info").nodes.first, isMet(node) {
                    return
                }
                try await Self.pause()
            }
        }
    }

    /// Waits until the coordinator has heard from the node several times more.
    fileprivate func awaitHeartbeats() async throws {
        struct Answer: Decodable { var rigNowNanoseconds: DecimalText<Int64> }
        let start = try await capctl.ask(Answer.self, "status").rigNowNanoseconds.value
        try await within(Self.patience, "heartbeats") { [capctl] in
            while try await capctl.ask(Answer.self, "status").rigNowNanoseconds.value < start + 2_000_000_000 {
                try await TestRig.pause()
            }
        }
    }

    /// Memory of a node's agent that is in RAM (`VmRSS`).
    fileprivate func residentBytes(_ node: String) throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(agent(node).processIdentifier)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
        return (line.split(separator: " ").compactMap { Int($0) }.first ?? 0) * 1024
    }
}
