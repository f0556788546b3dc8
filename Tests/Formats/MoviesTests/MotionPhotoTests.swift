import CaptureTestSupport
import Foundation
import ImageMetadata
import Movies
import PosixSupport
import Testing

@Suite(.enabled(if: Probe.isPossible)) struct MotionPhotoTests {
    let temporary: TemporaryFolder
    let folder: Folder
    let clip: LivePhotoClip

    init() throws {
        temporary = try TemporaryFolder()
        folder = try Folder(opening: temporary.path)
        clip = try ClipSample.clip()
        try clip.write(to: folder, as: "clip.mov")
    }

    private var stillTime: Int64 { clip.frames[clip.stillIndex].presentationTime }

    private func encoder() throws -> MovieEncoder {
        MovieEncoder(program: try #require(ExternalProgram.find(MovieEncoder.programName)))
    }

    /// A still with a Live Photo's maker note, and the movie behind it.
    private func motionPhoto() async throws -> String {
        try await encoder().makeMP4(of: "clip.mov", in: folder, to: folder, as: "clip.mp4")
        let still = try JPEGRewriter.stillBytes(
            from: clip.frames[clip.stillIndex].jpeg,
            exif: EXIFDescription(make: "Caprig", contentIdentifier: ClipSample.identifier))
        let size = try MotionPhoto.write(
            still: still, movie: folder.open("clip.mp4", for: .reading), stillTime: stillTime, to: folder,
            as: "IMG_1_MP.jpg")
        #expect(try Int(size) == temporary.read("IMG_1_MP.jpg").count)
        return temporary.path + "/IMG_1_MP.jpg"
    }

    @Test func `the movie that is cut out by the length in the XMP does not play`() async throws {
        let path = try await motionPhoto()
        let length = try #require(
            try Probe.tags(["XMP:DirectoryItemLength"], of: path).last.flatMap {
                Int($0.split(separator: " ").last ?? "")
            })
        let bytes = try temporary.read("IMG_1_MP.jpg")
        let cut = try temporary.write(Array(bytes.suffix(length)), as: "cut.mp4")
        #expect(try temporary.read("cut.mp4") == temporary.read("clip.mp4"))
        #expect(try Probe.complaints(about: cut) == "")
        #expect(try Probe.entries("stream=codec_name,pix_fmt", of: cut, streams: "v") == ["h264,yuv420p"])
        #expect(try Probe.entries("stream=codec_name", of: cut, streams: "a") == ["aac"])
        let found = try MotionPhoto.movie(in: OpenFile(opening: path))
        #expect(found.byteCount == Int64(length) && found.offset == Int64(bytes.count - length))
        #expect(found.presentationMicroseconds == stillTime * 1_000_000 / 90_000)
    }

    @Test func `exiftool finds fault with a motion photo, or does not know it as one`() async throws {
        let path = try await motionPhoto()
        #expect(try Probe.validation(of: path) == ["OK"])
        #expect(
            try Probe.tags(
                ["XMP:MotionPhoto", "XMP:MotionPhotoVersion", "XMP:MotionPhotoPresentationTimestampUs"], of: path)
                == ["1", "1", String(stillTime * 1_000_000 / 90_000)])
        #expect(
            try Probe.tags(["XMP:DirectoryItemSemantic"], of: path).joined(separator: ", ") == "Primary, MotionPhoto")
        #expect(try Probe.tags(["XMP:DirectoryItemMime"], of: path).joined(separator: ", ") == "image/jpeg, video/mp4")
        #expect(
            try Probe.tags(["Apple:MediaGroupUUID", "Apple:ContentIdentifier"], of: path) == [ClipSample.identifier])
        let decoded = try ExternalTool.run("djpeg", "-ppm", "-outfile", temporary.path + "/a.ppm", path)
        #expect(decoded.status == 0)
    }

    @Test func `encoding moves frames in time, or shifts the sound`() async throws {
        _ = try await motionPhoto()
        let path = temporary.path + "/clip.mp4"
        let times = try Probe.times(of: path)
        try #require(times.count == clip.frames.count)
        #expect(Probe.largestError(times, clip.frames.map(\.presentationTime)) <= 0.000_1)
        let ends = try ["v", "a"].map { streams in
            let last = try Probe.entries("packet=pts_time,duration_time", of: path, streams: streams).last
            return try #require(last).split(separator: ",").compactMap { Double($0) }.reduce(0, +)
        }
        // FFmpeg's readers take the time before the first frame from the last frame's duration.
        #expect(abs(ends[0] - 3) < 0.034 && abs(ends[1] - 3) < 0.022, "\(ends)")
        // Decoded again, the sound of the source stands where it stood: the sum of products is largest without a shift.
        let report = try ExternalTool.run(
            "ffmpeg", "-v", "error", "-i", path, "-map", "0:a", "-f", "s16le", temporary.path + "/sound.raw")
        #expect(report.output == "")
        let decoded = Self.samples(try temporary.read("sound.raw"))
        let source = Self.samples(clip.sound?.samples ?? [])
        let best = try #require(
            (-30...30).max { Self.agreement(decoded, source, $0) < Self.agreement(decoded, source, $1) })
        #expect(abs(best) <= 1, "shifted by \(best) samples")
    }

    @Test func `the pictures of an encoded clip have other colors`() async throws {
        _ = try await motionPhoto()
        let colors = try ["clip.mov", "clip.mp4"].map { name -> [UInt8] in
            let report = try ExternalTool.run(
                "ffmpeg", "-v", "error", "-i", temporary.path + "/" + name, "-frames:v", "1", "-pix_fmt", "rgb24", "-f",
                "rawvideo", temporary.path + "/rgb")
            #expect(report.output.split(separator: "\n").allSatisfy { $0.contains("deprecated pixel format") })
            defer { try? FileManager.default.removeItem(atPath: temporary.path + "/rgb") }
            return try temporary.read("rgb")
        }
        try #require(colors[0].count == colors[1].count && !colors[0].isEmpty)
        let difference = zip(colors[0], colors[1]).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
        #expect(Double(difference) / Double(colors[0].count) < 6)
    }

    @Test func `a Live Photo whose movie is encoded again is no longer one`() async throws {
        try await encoder().encodeLivePhoto("clip.mov", in: folder, to: folder, as: "clip.mov")
        let path = temporary.path + "/clip.mov"
        #expect(try temporary.names() == ["clip.mov"])
        #expect(try Probe.tags(["ContentIdentifier", "StillImageTime"], of: path) == [ClipSample.identifier, "-1"])
        #expect(try Probe.tags(["Keys:Make", "QuickTime:CreateDate"], of: path) == ["Caprig", "2026:01:02 02:04:05"])
        #expect(try Probe.entries("stream=codec_name", of: path, streams: "v") == ["h264"])
        #expect(try Probe.complaints(about: path) == "")
        #expect(try Probe.validation(of: path) == ["OK"])
        let movie = try LivePhotoMovieWriter.read(OpenFile(opening: path))
        #expect(movie?.contentIdentifier == ClipSample.identifier && movie?.stillTime == stillTime)
        #expect(try Probe.times(of: path).count == clip.frames.count)
    }

    @Test func `A movie without a name becomes an MP4 without a name, of as many pictures`() async throws {
        let (source, result) = (try folder.createUnnamed(), try folder.createUnnamed())
        try source.write(temporary.read("clip.mov"))
        let summary = try MovieSummary(of: source)
        #expect(summary.pictureCount == clip.frames.count && !summary.isH264)
        #expect((Duration.milliseconds(2900)...Duration.milliseconds(3000)).contains(summary.duration))
        try await encoder().encodeMP4(source, summary, to: result, byteLimit: 1 << 30)
        let encoded = try MovieSummary(of: result)
        #expect(encoded.pictureCount == clip.frames.count && encoded.isH264)
        #expect(try temporary.names() == ["clip.mov"])
        let path = try temporary.write(result.read(at: 0, count: .max), as: "copy.mp4")
        #expect(try Probe.entries("stream=codec_name", of: path, streams: "a") == ["aac"])
        #expect(try Probe.complaints(about: path) == "")
    }

    @Test func `A movie that would become larger than there is room for is told as such`() async throws {
        let (source, result) = (try folder.createUnnamed(), try folder.createUnnamed())
        try source.write(temporary.read("clip.mov"))
        let summary = try MovieSummary(of: source)
        let error = await #expect(throws: MovieError.self) {
            try await encoder().encodeMP4(source, summary, to: result, byteLimit: 4096)
        }
        #expect(error?.code == .encoder && error?.cause.contains("4096 bytes") == true, "\(error as Any)")
        #expect(try result.byteCount() <= 4096)
    }

    @Test func `an encoder that has outlived its agent writes into the movie of the next one`() async throws {
        let earlier = try folder.open("clip.mp4.tmp", for: .writing)
        try await encoder().makeMP4(of: "clip.mov", in: folder, to: folder, as: "clip.mp4")
        let movie = try temporary.read("clip.mp4")
        try earlier.write(Array("Its last words.".utf8))
        #expect(try temporary.read("clip.mp4") == movie)
        #expect(try temporary.names() == ["clip.mov", "clip.mp4"])
    }

    @Test func `a clip is lost, or left in pieces, when its encoder fails`() async throws {
        let before = try temporary.read("clip.mov")
        let path = try temporary.write(Array("#!/bin/sh\necho no such codec >&2; exit 1\n".utf8), as: "ffmpeg")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        let failing = MovieEncoder(program: try #require(ExternalProgram.find("ffmpeg", in: temporary.path)))
        let error = await #expect(throws: MovieError.self) {
            try await failing.encodeLivePhoto("clip.mov", in: folder, to: folder, as: "clip.mov")
        }
        #expect(error?.code == .encoder && error?.description.contains("no such codec") == true)
        await #expect(throws: MovieError.self) {
            try await failing.makeMP4(of: "clip.mov", in: folder, to: folder, as: "clip.mp4")
        }
        #expect(try temporary.names() == ["clip.mov", "ffmpeg"] && temporary.read("clip.mov") == before)
    }

    @Test(arguments: [
        "truncate -s 4096 \"$file\"", "truncate -s -1 \"$file\"",
        "ffmpeg -v quiet -y -i clip.mov -frames:v 3 -f mp4 \"$file\"",
    ])
    func `what an encoder left on a full disk, with status 0, passes for a movie`(_ spoil: String) async throws {
        let script =
            "#!/bin/sh\ncd '\(temporary.path)'\nffmpeg \"$@\"; for file; do :; done; file=${file#file:}; \(spoil)\n"
        let path = try temporary.write(Array(script.utf8), as: "full-disk")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        let spoiled = MovieEncoder(program: try #require(ExternalProgram.find("full-disk", in: temporary.path)))
        let errors = [
            await #expect(throws: MovieError.self) {
                try await spoiled.makeMP4(of: "clip.mov", in: folder, to: folder, as: "clip.mp4")
            },
            await #expect(throws: MovieError.self) {
                try await spoiled.encodeLivePhoto("clip.mov", in: folder, to: folder, as: "other.mov")
            },
        ]
        for error in errors { #expect(error?.code == .encoder && error?.cause.contains("disk is full") == true) }
        #expect(try temporary.names() == ["clip.mov", "full-disk"])
    }

    @Test func `a motion photo whose end is lost, or whose length lies, is taken for one`() async throws {
        let path = try await motionPhoto()
        let whole = try temporary.read("IMG_1_MP.jpg")
        for count in [0, 2, 100, 4000, whole.count - 1] {
            let cut = try temporary.write(Array(whole.prefix(count)), as: "cut.jpg")
            #expect(throws: MovieError.self) { try MotionPhoto.movie(in: OpenFile(opening: cut)) }
        }
        let plain = try temporary.write(clip.frames[0].jpeg, as: "plain.jpg")
        let error = #expect(throws: MovieError.self) { try MotionPhoto.movie(in: OpenFile(opening: plain)) }
        #expect(error?.code == .malformed && error?.description.contains(plain) == true)
        #expect(throws: MovieError.self) {
            try MotionPhoto.write(
                still: whole, movie: OpenFile(opening: path), stillTime: 0, to: folder, as: "again.jpg")
        }
        #expect(try !temporary.names().contains("again.jpg.tmp"))
    }
}

extension MotionPhotoTests {
    private static func samples(_ bytes: [UInt8]) -> [Double] {
        stride(from: 0, to: min(bytes.count, 96_000), by: 2).map {
            let sample: UInt16 = UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8
            return Double(Int16(bitPattern: sample))
        }
    }

    private static func agreement(_ left: [Double], _ right: [Double], _ shift: Int) -> Double {
        (4000..<8000).reduce(0) { $0 + left[$1 + shift] * right[$1] }
    }
}
