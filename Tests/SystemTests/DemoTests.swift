import CaptureModel
import CaptureTestSupport
import Foundation
import ShotDocuments
import Testing
import TimeCode

extension System {
    @Suite(.timeLimit(.minutes(2))) struct DemoTests {
        private let folder: TemporaryFolder
        private let processes = ProcessTable()
        private let library: String

        init() throws {
            folder = try TemporaryFolder()
            library = folder.path + "/library"
        }

        private func demo(_ arguments: String...) async throws -> Capctl.Outcome {
            let program = try Capctl(folder: folder.path).start(
                ["demo", "--library", library] + arguments, environment: processes.environment)
            return try await Capctl.outcome(of: program, within: .seconds(90))
        }

        private func expectEightGoodStills(_ outcome: Capctl.Outcome) async throws -> Shot {
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(try processes.running().isEmpty)
            let stills = StillCheck.stills(in: library)
            try #require(stills.count == 8)
            try await StillCheck.expectWhole(stills)
            try await StillCheck.expectValidMetadata(stills)
            let (shot, folder) = try onlyShot()
            #expect(shot.status == .complete)
            try StillCheck.expectSkewsInPixels(shot, in: folder)
            return shot
        }

        private func onlyShot() throws -> (shot: Shot, folder: String) {
            let names = FileManager.default.enumerator(atPath: library)?.compactMap { $0 as? String } ?? []
            let manifests = names.filter { $0.hasSuffix("shot.json") }
            try #require(manifests.count == 1)
            let url = URL(filePath: library + "/" + manifests[0])
            let shot = try ShotManifest.decode(Array(try Data(contentsOf: url)))
            return (shot, url.deletingLastPathComponent().path(percentEncoded: false))
        }

        @Test(
            "the first command a user tries gives damaged pictures, wrong times or leaves processes behind",
            .needs("jpeginfo", "exiftool", "ffprobe", "ffmpeg"))
        func demoTakesEightStills() async throws {
            let outcome = try await demo()
            let shot = try await expectEightGoodStills(outcome)
            #expect(outcome.output.contains("8 of 8 stills, each exactly once"))
            #expect(outcome.output.contains("8 of 8 clips, each with sound"), "\(outcome.output)")
            #expect(outcome.output.contains(library))
            try await expectClipsWithSound(shot)
            expectProgress(outcome.errors)
        }

        /// Each clip has one track of sound, in which the marks of the virtual microphone are where the pictures have them.
        private func expectClipsWithSound(_ shot: Shot) async throws {
            let folder = try onlyShot().folder
            for capture in shot.captures {
                #expect(capture.resolved?.livePhotoNote == nil, "\(capture.device.id)")
                let path = try #require(capture.files.first { $0.kind == .pairedVideo }?.path)
                let clip = folder + "/" + path
                let tracks = try await LivePhotoCheck.tool([
                    "ffprobe", "-v", "error", "-select_streams", "a", "-show_entries", "stream=sample_rate", "-of",
                    "csv=p=0", clip,
                ])
                #expect(tracks.output == "48000\n", "\(clip): \(tracks.errors)")
                try await SoundCheck.expectTogether(clip, marks: 2)
            }
        }

        /// Without a terminal, standard error has a line for each thing that the demo waits for, in this order.
        private func expectProgress(_ errors: String) {
            let lines = errors.split(separator: "\n")
            let expected = [
                "starting 4 nodes with 8 virtual cameras and 4 virtual microphones", "starting the coordinator",
                "waiting for nodes to join", "waiting for agents to open their devices",
                "waiting for 1500 ms of frames and sound", "ready after", "taking pictures", "ending all processes",
            ]
            let places = expected.map { text in lines.firstIndex { $0.contains(text) } }
            #expect(places.allSatisfy { $0 != nil } && places.compactMap(\.self) == places.compactMap(\.self).sorted())
            #expect(lines.count < 40 && !errors.contains("\r"), "\(errors)")
        }

        @Test(
            "times are right only because the nodes share the coordinator's clock", .needsRoot,
            .needs("jpeginfo", "exiftool"))
        func demoTakesEightStillsWithClocksMinutesApart() async throws {
            let shot = try await expectEightGoodStills(try await demo("--time-namespaces"))
            for capture in shot.captures {
                let timing = try #require(capture.timing)
                let apart = timing.localMidExposure.nanoseconds - timing.midExposure.time.nanoseconds
                #expect(abs(apart) > 60_000_000_000, "\(capture.device.id) shares the coordinator's clock")
            }
        }

        @Test("Takes twenty shots in a row without loss, and reports their speed", .needs("jpeginfo"))
        func demoTakesThreeHundredAndTwentyStills() async throws {
            let outcome = try await demo(
                "--nodes", "8", "--cameras", "2", "--shots", "20", "--no-live", "--format", "json")
            let answer = try outcome.json(DemoAnswer.self)
            // A machine that stands still for a moment has no frames of it, and nothing else is missing.
            let missed = try answer.shots.flatMap { try problems(of: $0) }
            #expect(missed.count <= 16 && missed.allSatisfy { $0.code == .noFrameNearTime }, "\(missed)")
            #expect((outcome.status == 0) == missed.isEmpty, "\(outcome.errors)")
            #expect(answer.stills == 320 - missed.count && answer.eachExactlyOnce && answer.shots.count == 20)
            #expect(answer.shots.map(\.id) == answer.shots.map(\.id).sorted())
            for latency in [answer.dequeueToDurable, answer.timeToDurable] {
                #expect(
                    0 < latency.p50Nanoseconds.value && latency.p50Nanoseconds.value <= latency.p95Nanoseconds.value)
            }
            #expect(answer.dequeueToDurable.p50Nanoseconds.value < answer.timeToDurable.p50Nanoseconds.value)
            try await expectEachFrameOnce(answer)
        }

        private func problems(of shot: DemoAnswer.Item) throws -> [RigProblem] {
            let manifest = try Data(contentsOf: URL(filePath: shot.folder + "/shot.json"))
            return try ShotManifest.decode(Array(manifest)).captures.compactMap(\.problem)
        }

        /// Each picture is another frame by its pixels, and is what its manifest says it is.
        private func expectEachFrameOnce(_ answer: DemoAnswer) async throws {
            let stills = StillCheck.stills(in: library)
            try #require(stills.count == answer.stills)
            try await StillCheck.expectWhole(stills)
            var frames: Set<String> = []
            for shot in answer.shots {
                let files = StillCheck.stills(in: shot.folder)
                let missedCount = try problems(of: shot).count
                #expect(files.count == 16 - missedCount && (shot.status == "complete") == (missedCount == 0))
                for file in files {
                    let code = try StillCheck.timeCode(of: file)
                    frames.insert("\(code.cameraNumber) \(code.realtimeNanoseconds)")
                }
            }
            #expect(frames.count == answer.stills, "a frame was taken for two shots")
            let verified = try await Capctl(folder: folder.path).run(
                ["shots", "verify", "--library", library] + answer.shots.map(\.id.description))
            #expect(verified.status == 0, "\(verified.output)")
        }

        @Test("Ends the daemons of a demo that is killed")
        func killedDemoLeavesNothingRunning() async throws {
            let demo = try Capctl(folder: folder.path).start(
                ["demo", "--library", library, "--nodes", "2", "--keep"], environment: processes.environment)
            _ = try await demo.nextLine(within: .seconds(60)) { $0.contains("pictures:") }
            #expect(try processes.running().count == 4)
            try await demo.killNow()
            try await processes.waitUntilNoneRuns(within: .seconds(20))
        }
    }
}
