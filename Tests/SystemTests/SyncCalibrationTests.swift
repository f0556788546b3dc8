import CaptureModel
import CaptureTestSupport
import Foundation
import Testing

extension System {
    /// Latencies of cameras, measured with a screen over the wire. What the test checks is hidden from the rig.
    @Suite(.timeLimit(.minutes(2))) struct SyncCalibrationTests {
        private struct Calibration: Decodable {
            var cameras: [Camera]

            struct Camera: Decodable {
                var device: String
                var problem: String?
                var configuration: Configuration?
                var timing: Timing?
            }

            struct Configuration: Decodable {
                var latencyOffsetNanoseconds: String
                var uncertaintyNanoseconds: String
                var measuredExposureNanoseconds: String?
                var measurement: MeasurementID?
                var sharedUncertaintyNanoseconds: String?
            }

            struct Timing: Decodable {
                var correctionNanoseconds: String
                var relativeNanoseconds: String
                var uncertaintyNanoseconds: String
                var rowsNanoseconds: String?
            }
        }

        private struct Verification: Decodable {
            var cameras: [Camera]

            struct Camera: Decodable {
                var device: String
                var boundNanoseconds: String
                var verdict: String
            }
        }

        private static let delay = 57.0
        /// Milliseconds from frame to frame, which the bound contains without a calibration.
        private static let interval = 1000.0 / 30

        private struct Status: Decodable {
            var cameras: [Camera]

            struct Camera: Decodable {
                var stamps: Stamps
            }

            struct Stamps: Decodable {
                var correction: Correction?
            }

            struct Correction: Decodable {
                var latencyOffsetNanoseconds: String
            }
        }

        /// What the nodes say by how much they correct stamps, of the cameras whose stamps need it.
        private func corrections(_ rig: TestRig) async throws -> [String] {
            try await rig.capctl.ask(Status.self, "sync", "status").cameras
                .compactMap(\.stamps.correction?.latencyOffsetNanoseconds)
        }

        private var plan: NodePlan {
            NodePlan.nodes(1, cameras: 2) { camera in
                camera.framesPerSecond = 30
                let screen = camera.number == 1 ? "rowsMilliseconds: 6" : "rowsMilliseconds: 18"
                camera.virtual = ["screen: { lagMilliseconds: 23.5, \(screen) }"]
                guard camera.number == 2 else { return }
                camera.virtual += ["stampDelayMilliseconds: \(Self.delay)", "exposureMilliseconds: 12"]
            }[0]
        }

        /// A line of what a virtual camera really did.
        private struct Truth: Decodable {
            var midExposure: Int64
        }

        /// When the newest frame with a number was really exposed.
        private func truth(of sequence: UInt64, in path: String) throws -> LocalTime {
            let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
            let line = try #require(lines.last { $0.hasPrefix("{\"frame\":\(sequence),\"stream\":\"main\",") })
            return LocalTime(nanoseconds: try JSONDecoder().decode(Truth.self, from: Data(line.utf8)).midExposure)
        }

        private func milliseconds(_ nanoseconds: String?) throws -> Double {
            Double(try #require(nanoseconds.flatMap { Int64($0) })) / 1e6
        }

        @Test func `A camera's hidden latency is found with a screen of hidden lag, and its configured bound is true`()
            async throws
        {
            let rig = try await TestRig.started([plan])
            let calibrated = try await rig.capctl.run(
                "sync", "calibrate", "--device", "node1/cam2", "--reference", "node1/cam1", "--for", "15s",
                "--screen-scan", "0ms", "--format", "json")
            #expect(calibrated.status == 0, "\(calibrated.errors)\n\(calibrated.output)")
            let camera = try #require(try calibrated.json(Calibration.self).cameras.first)
            #expect(camera.device == "node1/cam2")
            let uncertainty = try milliseconds(camera.timing?.uncertaintyNanoseconds)
            // How small it is depends on how busy the machine is: the clock's bound and lost pictures are part of it.
            #expect(abs(try milliseconds(camera.timing?.correctionNanoseconds) + Self.delay) <= uncertainty)
            #expect(uncertainty < Self.interval)
            #expect(abs(try milliseconds(camera.timing?.rowsNanoseconds) - 18) < 2)

            // Without a camera whose stamps are known, the screen's lag is uncertain, and the result says so.
            let alone = try await rig.capctl.run(
                "sync", "calibrate", "--device", "node1/cam2", "--for", "15s", "--format", "json")
            let free = try #require(try alone.json(Calibration.self).cameras.first?.timing)
            #expect(try milliseconds(free.uncertaintyNanoseconds) >= 30)
            #expect(
                abs(try milliseconds(free.correctionNanoseconds) + Self.delay)
                    <= (try milliseconds(free.uncertaintyNanoseconds)))

            // The stamps are later than the frame interval that they claim.
            let verify = ["sync", "verify", "--all", "--for", "15s", "--screen-scan", "0ms", "--format", "json"]
            let before = try await rig.capctl.run(verify)
            #expect(before.status == 3, "\(before.errors)\n\(before.output)")

            let applied = try await rig.capctl.run(
                "sync", "calibrate", "--device", "node1/cam2", "--reference", "node1/cam1", "--for", "15s",
                "--screen-scan", "0ms", "--apply", "--yes", "--format", "json")
            #expect(applied.status == 0, "\(applied.errors)")
            #expect(applied.errors.contains("node1/cam2: corrected; kept in "), "\(applied.errors)")
            let configuration = try #require(try applied.json(Calibration.self).cameras.first?.configuration)
            #expect(configuration.measuredExposureNanoseconds == "12000000")
            #expect(try await corrections(rig) == [configuration.latencyOffsetNanoseconds])
            // The node has kept it.
            try await rig.kill("node1")
            try await rig.startAgent("node1")
            try await rig.awaitReadiness()
            #expect(try await corrections(rig) == [configuration.latencyOffsetNanoseconds])
            let after = try await rig.capctl.run(verify)
            #expect(after.status == 0, "\(after.errors)\n\(after.output)")
            let found = try after.json(Verification.self).cameras
            #expect(found.map(\.verdict) == ["good", "good"])
            let bound = max(1, try milliseconds(configuration.uncertaintyNanoseconds))
            #expect(try found.allSatisfy { try milliseconds($0.boundNanoseconds) <= bound })
            let text = try await rig.capctl.run("sync", "calibrate", "--all", "--for", "10s").output
            #expect(text.contains("  - name: cam2") && text.contains("cam1 has stamps that need no correction"))
            try await rig.end()
        }

        @Test
        func `Pictures of two cameras that were calibrated at one screen are apart as the shot says, whatever the lag`()
            async throws
        {
            let folder = try TemporaryFolder()
            let plans = NodePlan.nodes(1, cameras: 2) { camera in
                camera.framesPerSecond = 30
                camera.virtual = [
                    "screen: { lagMilliseconds: 23.5, rowsMilliseconds: 6 }", "exposureMilliseconds: 12",
                    "stampDelayMilliseconds: \(camera.number == 1 ? 57 : 21)", "truth: \(folder.path)/\(camera.number)",
                ]
            }
            let rig = try await TestRig.started(plans)
            let applied = try await rig.capctl.run(
                "sync", "calibrate", "--all", "--for", "15s", "--screen-scan", "0ms", "--apply", "--yes", "--format",
                "json")
            #expect(applied.status == 0, "\(applied.errors)\n\(applied.output)")
            let configurations = try applied.json(Calibration.self).cameras.compactMap(\.configuration)
            let measurement = try #require(configurations.first?.measurement)
            #expect(configurations.map(\.measurement) == [measurement, measurement])
            #expect(configurations.map(\.sharedUncertaintyNanoseconds) == ["30000000", "30000000"])
            try await rig.awaitReadiness()
            for _ in 1...3 {
                let shot = try await rig.capctl.ask(ShotAnswer.self, "trigger", "--all", "--no-live").shot
                let timings = try shot.captures.map { capture in try #require(capture.timing, "\(capture)") }
                try #require(timings.count == 2)
                #expect(timings.allSatisfy { $0.sharedError == SharedError(measurement, bound: .milliseconds(30)) })
                // Both are on the clock of their node.
                let truths = try (0..<2).map { try truth(of: timings[$0].sequence, in: "\(folder.path)/\($0 + 1)") }
                for (timing, truth) in zip(timings, truths) {
                    #expect((timing.localMidExposure - truth).magnitude <= timing.midExposure.bound)
                }
                let owns = timings.map { $0.midExposure.bound - .milliseconds(30) }
                let stated = timings[1].localMidExposure - timings[0].localMidExposure
                #expect((stated - (truths[1] - truths[0])).magnitude <= owns[0] + owns[1])
                let simultaneity = try #require(shot.simultaneity)
                #expect((simultaneity.spread - (truths[1] - truths[0]).magnitude).magnitude <= simultaneity.bound)
                #expect(simultaneity.bound <= owns[0] + owns[1])
            }
            try await rig.end()
            withExtendedLifetime(folder) {}
        }
    }
}
