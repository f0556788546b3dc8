import CaptureModel
import CaptureTestSupport
import Foundation
import Testing

extension System {
    /// A camera that delivers 7.5 frames per second while its format states 20, as automatic exposure does in dim light.
    @Suite(.timeLimit(.minutes(3)), .needs("ffprobe", "ffmpeg")) struct DimLightTests {
        private struct Probe: Decodable {
            var streams: [Stream]

            struct Stream: Decodable {
                var avg_frame_rate: String
            }
        }

        @Test("A camera that is slower than its format states says so everywhere, and its movie has its true rate")
        func slowCamera() async throws {
            var plans = NodePlan.nodes(1, cameras: 2) { $0.isLive = true }
            plans[0].cameras[1].virtual = ["actualFramesPerSecond: 7.5"]
            let rig = try await TestRig.started(plans)
            let events = try EventTail(of: rig)
            let told = try await events.next { $0.name == "device.running" && $0.details["reason"] != nil }
            #expect(told.device == "node1/cam2")
            #expect(told.details["reason"]?.contains("7.5 of 20 frames per second") == true, "\(told.details)")
            #expect(told.details["reason"]?.contains("exposure_dynamic_framerate") == true)
            // The roster follows within a second.
            var devices: [Substring] = []
            repeat {
                devices = try await rig.capctl.run("devices").output.split(separator: "\n")
            } while !devices.contains { $0.contains("exposureDynamicFrameRate=off") }
            let slow = try #require(devices.first { $0.hasPrefix("node1/cam2") })
            #expect(slow.contains("20 fps, delivers 7.5") && slow.contains("7.5 of 20 frames per second"), "\(slow)")
            let fast = try #require(devices.first { $0.hasPrefix("node1/cam1") })
            #expect(!fast.contains("delivers"), "\(fast)")

            _ = try await rig.record("start", "--all", expecting: 0)
            try await rig.awaitRecording(of: 2, reaching: .seconds(4))
            let ended = try await rig.record("stop", expecting: 0)
            let capture = ended.take.captures[1]
            _ = try await MovieCheck.expectSound(ended, capture)
            let movie = try ended.path(capture, .movie(.first))
            #expect(abs(try await Self.frameRate(movie) - 7.5) < 0.05)
            let reason = ended.cameras[1].frameReason
            #expect(reason?.contains("it records 7.5 frames per second") == true, "\(reason ?? "")")

            let folder = try TemporaryFolder()
            let exported = try await rig.capctl.run(
                "export", ended.take.id.description, "--layout", "timeline", "--library", rig.library, "--to",
                "\(folder.path)/set")
            #expect(exported.status == 0, "\(exported.errors)")
            let xml = try String(
                contentsOfFile: "\(folder.path)/set/\(ended.take.id).fcpxml", encoding: .utf8)
            #expect(xml.contains(#"id="format0" frameDuration="1/20s""#) && xml.contains(#"frameDuration="2/15s""#))

            let shot = try await rig.trigger("--device", "node1/cam2", "--live", expecting: 0)
            let clip = try #require(shot.shot.captures[0].files.first { $0.kind == .pairedVideo }?.path)
            #expect(abs(try await Self.frameRate(shot.folder + "/" + clip) - 7.5) < 0.2)
            try StillCheck.expectTrueSkews(shot.shot, in: shot.folder)
            try await rig.end()
        }

        /// The frames per second of a movie's picture, as ffprobe computes them.
        private static func frameRate(_ movie: String) async throws -> Double {
            let probe = try await MovieCheck.tool([
                "ffprobe", "-v", "error", "-select_streams", "v", "-show_streams", "-of", "json", movie,
            ])
            let parts = try #require(try probe.json(Probe.self).streams.first).avg_frame_rate.split(separator: "/")
            return try #require(Double(parts[0])) / (try #require(Double(parts[1])))
        }
    }
}
