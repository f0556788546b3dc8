import CaptureTestSupport
import Foundation
import Testing

extension System {
    /// Each flow of the example does what its walk-through says, and leaves files that other programs take for whole.
    @Suite(.timeLimit(.minutes(2))) struct AVCamTests {
        private static let photo = ["willBeginCapture", "willCapturePhoto", "didCapturePhoto"]
        private static let processed = "didFinishProcessingPhoto"
        private static let clip = ["didFinishRecordingLivePhotoMovie", "didFinishProcessingLivePhotoMovie"]
        private static let end = "didFinishCapture"

        @Test(
            "the photo application takes photos nobody can open, or with another camera", .needs("jpeginfo", "exiftool")
        )
        func photos() async throws {
            let run = try await AVCamRun.of("photos")
            #expect(
                run.steps(of: "photo 1")
                    == Self.photo + ["previewAvailable", Self.processed, Self.processed, Self.end])
            #expect(run.steps(of: "photo 2") == Self.photo + [Self.processed, Self.end])
            #expect(run.steps(of: "photo 3") == Self.photo + [Self.processed, Self.end])
            #expect(run.lines.contains("the default camera is here/back"), "the chain prefers the back camera")
            #expect(run.lines.contains("button photo: on"))
            #expect(run.lines.contains("switched: input: here/back → here/front"))
            #expect(run.notices(of: "here/back") == ["didStartRunning", "didStopRunning"])
            #expect(run.notices(of: "here/front") == ["didStartRunning", "didStopRunning"])
            let stills = try run.files("-photo.jpg")
            try #require(stills.count == 3)
            try await StillCheck.expectWhole(stills + run.files("-preview.jpg"))
            try await StillCheck.expectValidMetadata(stills)
            let flashes = try await LivePhotoCheck.tool(["exiftool", "-s3", "-q", "-Flash"] + stills).output
            #expect(flashes == "On, Fired\n", "only the second photo was to be lit, and says so: \(flashes)")
            #expect(run.lines.prefix(2) == ["library addOnly: authorized", "library readWrite: authorized"])
            #expect(run.lines.contains { $0.hasPrefix("library: 3 photos, the newest ") && $0.hasSuffix("-photo.jpg") })
            try run.expectEmptySpool()
        }

        @Test("Adds photos to a library that it may not see", .needs("setpriv", "jpeginfo"))
        func addOnly() async throws {
            let run = try await AVCamRun.of("photos", library: 0o3)
            #expect(run.lines.prefix(2) == ["library addOnly: authorized", "library readWrite: denied"])
            #expect(run.lines.contains("library: photos may be added and not seen"))
            let stills = try run.files("-photo.jpg")
            #expect(stills.count == 3)
            try await StillCheck.expectWhole(stills)
            #expect(try run.files(".part").isEmpty)
        }

        @Test("Begins nothing if photos may not be saved", .needs("setpriv"))
        func mayNotAdd() async throws {
            let run = try await AVCamRun.of("photos", library: 0o5, expecting: 1)
            #expect(run.lines == ["library addOnly: denied", "library readWrite: denied"])
            #expect(try run.files("").isEmpty)
        }

        @Test(
            "of overlapping Live Photos a movie is cut, silent, or belongs to another still",
            .needs("exiftool", "ffprobe", "ffmpeg"))
        func live() async throws {
            let run = try await AVCamRun.of("live")
            for name in ["live 1", "live 2", "live 3"] {
                #expect(run.steps(of: name) == Self.photo + [Self.processed] + Self.clip + [Self.end])
            }
            #expect(run.lines.contains("live 3: LIVE 2"), "two are in progress at a time")
            #expect(run.lines.contains { $0.hasPrefix("live 1: note: the clip begins ") })
            #expect(!run.lines.contains { $0.hasPrefix("live 2: note") || $0.hasPrefix("live 3: note") })
            let (stills, clips) = (try run.files("-photo.jpg"), try run.files("-pairedVideo.mov"))
            try #require(stills.count == 3 && clips.count == 3)
            for (still, clip) in zip(stills, clips) {
                try await LivePhotoCheck.expectPaired(still, clip)
                try await SoundCheck.expectTogether(clip, marks: clip == clips[0] ? 1 : 2)
            }
            for clip in clips.dropFirst() {
                let probe = try await LivePhotoCheck.tool([
                    "ffprobe", "-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0", clip,
                ])
                let length = try #require(Double(probe.output.split(separator: "\n").first ?? ""))
                #expect(abs(length - 3) < 0.04, "\(clip) lasts \(length) s")
            }
            try run.expectEmptySpool()
        }

        @Test(
            "of RAW and JPEG one is of another exposure, or the samples are not those of the sensor",
            .needs("dcraw", "unprocessed_raw", "ffmpeg", "exiftool"))
        func raw() async throws {
            let run = try await AVCamRun.of("raw")
            #expect(
                run.steps(of: "raw+jpeg")
                    == Self.photo + ["previewAvailable", Self.processed, Self.processed, Self.processed, Self.end])
            #expect(run.steps(of: "raw") == Self.photo + [Self.processed, Self.end])
            let (raws, stills) = (try run.files("-alternatePhoto.dng"), try run.files("-photo.jpg"))
            try #require(raws.count == 2 && stills.count == 1)
            let codes = try await raws.asyncMap { try await RawCheck.timeCode(of: $0, width: 1280, height: 720) }
            #expect(try codes[0] == StillCheck.timeCode(of: stills[0]), "both are of one exposure")
            #expect(codes[0] != codes[1])
            let thumbnail = try await LivePhotoCheck.tool(["exiftool", "-s3", "-IFD0:ImageWidth", raws[0]])
            #expect(thumbnail.output == "640\n", "the embedded JPEG: \(thumbnail.output)\(thumbnail.errors)")
            let small = try await LivePhotoCheck.tool(["exiftool", "-s3", "-IFD0:ImageWidth", raws[1]])
            #expect(small.output == "160\n", "of the size that is requested: \(small.output)\(small.errors)")
            try run.expectEmptySpool()
        }

        @Test(
            "a movie does not end where it was to, has no sound, or another thumbnail and title than it was given",
            .needs("ffprobe", "ffmpeg"))
        func movies() async throws {
            let run = try await AVCamRun.of("movie", "--seconds", "2.5")
            let told = ["didStartRecording", "didFinishRecording", "titled", "cannot"]
            let words = run.lines.map { String($0.prefix { $0 != " " && $0 != ":" }) }.filter(told.contains)
            #expect(
                words == ["didStartRecording", "cannot", "didFinishRecording", "titled"]
                    + ["didStartRecording", "didFinishRecording"])
            #expect(run.lines.contains { $0.hasPrefix("cannot switch: finishCaptures: ") })
            let (movies, thumbnails) = (try run.files("-movie.mov"), try run.files("-thumbnail.jpg"))
            try #require(movies.count == 2 && thumbnails.count == 2)
            for (number, seconds) in [2.5, 1].enumerated() {
                try await Self.expectWhole(movies[number], seconds: seconds)
                try await SoundCheck.expectTogether(movies[number], marks: Int(seconds) - 1)
                #expect(try await Self.mostAlike(thumbnails[number], movies[number]) == 0)
            }
            let entries = try run.files("-movie.json").map {
                try JSONDecoder().decode(Entry.self, from: Data(contentsOf: URL(filePath: $0)))
            }
            #expect(entries.map(\.annotation.title) == ["The first take", ""])
            #expect(entries.map(\.recorded.end) == ["stopped", "durationLimit"])
            #expect(entries.map(\.movie) == movies && entries.map(\.thumbnail) == thumbnails)
            try run.expectEmptySpool()
        }

        @Test("Keeps what was recorded when the program is killed", .needs("ffprobe", "ffmpeg"))
        func killedRecorder() async throws {
            var run = try AVCamRun()
            let program = try run.start(["movie", "--seconds", "60"])
            _ = try await program.nextLine(within: .seconds(30)) { $0.hasPrefix("recorded 2") && $0.count > 30 }
            try await program.killNow()
            try await run.go(["photos"])
            #expect(run.lines.contains { $0.hasPrefix("left by an earlier run: ") && $0.hasSuffix("-movie.mov") })
            let movie = try #require(try run.files("-movie.mov").first)
            let decoded = try await LivePhotoCheck.tool(MovieCheck.playing(movie))
            #expect(decoded.status == 0 && decoded.errors.isEmpty, "\(movie): \(decoded.errors)")
            #expect(try await Self.times(of: movie).last ?? 0 > 0.5)
            try run.expectEmptySpool()
        }

        @Test(
            "an interruption, an error or its end is told in another order, or takes a photo with it",
            .needs("jpeginfo"))
        func errors() async throws {
            let run = try await AVCamRun.of("errors")
            let (start, stop) = ("didStartRunning", "didStopRunning")
            let unplugged = ["wasInterrupted deviceAbsent", stop, "interruptionEnded deviceAbsent"]
            let denied = [start]
            let misconfigured = [stop, start]
            let occupied = ["wasInterrupted inUseByAnotherClient", "interruptionEnded inUseByAnotherClient", start]
            let stalled = ["runtimeError", stop, "runtimeError", "runtimeError", start]
            #expect(
                run.notices(of: "here/back")
                    == denied + misconfigured + unplugged + [start] + unplugged + occupied + unplugged + [start]
                    + stalled
                    + [stop])
            for line in ["here/back is denied", "cannot start: ", "not committed: ", "no photo: ", "how it stands: "] {
                #expect(run.lines.contains { $0.hasPrefix(line) }, "nothing is said of \(line)")
            }
            #expect(run.steps(of: "live").map { $0.filter { $0 != ":" } } == Self.photo + [Self.processed, Self.end])
            let counts = run.lines.filter { $0.hasPrefix("live: LIVE ") }
            #expect(counts == ["live: LIVE 1", "live: LIVE 0"], "the Live Photo ends with its capture")
            #expect(try run.files("-pairedVideo.mov").isEmpty)
            let stills = try run.files("-photo.jpg")
            #expect(stills.count == 1)
            try await StillCheck.expectWhole(stills)
            try run.expectEmptySpool()
        }

        @Test("Shows the example's own code in the walk-through")
        func walkThrough() throws {
            let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent()
            let page = try String(contentsOf: root.appending(path: "docs/avcam.md"), encoding: .utf8)
            let blocks = page.components(separatedBy: "```swift\n").dropFirst()
            #expect(blocks.count >= 8)
            for block in blocks {
                var shown = block.prefix { $0 != "`" }.split(separator: "\n").map(Self.stripped)
                let name = try #require(shown.removeFirst().split(separator: " ").last)
                let file = root.appending(path: "Examples/AVCam/\(name)")
                var lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(Self.stripped)[...]
                for line in shown where line != "…" {
                    let place = try #require(lines.firstIndex(of: line), "\(name) does not have, or not there: \(line)")
                    lines = lines[(place + 1)...]
                }
            }
        }

        private static func stripped(_ line: Substring) -> String { line.trimmingCharacters(in: .whitespaces) }

        /// What the movie recorder's list says of a movie.
        private struct Entry: Decodable {
            var movie: String
            var thumbnail: String
            var annotation: Annotation
            var recorded: Recorded

            struct Annotation: Decodable { var title: String }
            struct Recorded: Decodable { var end: String }
        }

        private static func times(of movie: String) async throws -> [Double] {
            let probe = try await LivePhotoCheck.tool([
                "ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries", "packet=pts_time", "-of",
                "csv=p=0", movie,
            ])
            return probe.output.split(whereSeparator: { $0 == "\n" || $0 == "," }).compactMap { Double($0) }
        }

        /// It has every frame of 30 a second from its beginning to its end, and decodes.
        private static func expectWhole(_ movie: String, seconds: Double) async throws {
            let times = try await times(of: movie)
            let (first, last) = (try #require(times.first), try #require(times.last))
            #expect((0..<0.1).contains(first) && (0..<0.1).contains(seconds - last), "\(movie): \(first) to \(last) s")
            #expect(zip(times, times.dropFirst()).allSatisfy { (0.02..<0.1).contains($1 - $0) })
            let decoded = try await LivePhotoCheck.tool(MovieCheck.playing(movie))
            #expect(decoded.status == 0 && decoded.errors.isEmpty, "\(movie): \(decoded.errors)")
        }

        /// Which of a movie's first three frames a picture is of, by ffmpeg's signal to noise ratio.
        private static func mostAlike(_ picture: String, _ movie: String) async throws -> Int? {
            var ratios: [Double] = []
            for frame in 0..<3 {
                let graph = "[1:v]select=eq(n\\,\(frame)),scale=320:180,format=gray[m];[0:v]format=gray[p];[m][p]psnr"
                let compared = try await LivePhotoCheck.tool([
                    "ffmpeg", "-nostdin", "-i", picture, "-i", movie, "-lavfi", graph, "-frames:v", "1", "-f", "null",
                    "-",
                ])
                let figure = compared.errors.split(separator: "average:").last?.prefix { $0 != " " && $0 != "\n" }
                ratios.append(try #require(figure.flatMap { Double($0) }, "\(compared.errors)"))
            }
            return ratios.indices.max { ratios[$0] < ratios[$1] }
        }
    }
}

extension [String] {
    fileprivate func asyncMap<Result>(_ transform: (String) async throws -> Result) async throws -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await transform(element)) }
        return results
    }
}
