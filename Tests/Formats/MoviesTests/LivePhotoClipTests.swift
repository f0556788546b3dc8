import CaptureTestSupport
import Foundation
import ImageMetadata
import Movies
import PosixSupport
import Testing

@Suite(.enabled(if: Probe.isPossible)) struct LivePhotoClipTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path + "/clip.mov"
    }

    @discardableResult
    private func write(_ clip: LivePhotoClip) throws -> Int64 {
        try clip.write(to: Folder(opening: folder.path), as: "clip.mov")
    }

    @Test func `still and movie are not one Live Photo to exiftool`() throws {
        let clip = try ClipSample.clip()
        let size = try write(clip)
        #expect(try Int(size) == folder.read("clip.mov").count)
        #expect(try folder.names() == ["clip.mov"])
        let still = try JPEGRewriter.stillBytes(
            from: clip.frames[45].jpeg, exif: EXIFDescription(contentIdentifier: clip.contentIdentifier))
        let photo = try folder.write(still, as: "clip.jpg")
        // Releases of exiftool name the tag in the still differently.
        #expect(
            try Probe.tags(["Apple:MediaGroupUUID", "Apple:ContentIdentifier"], of: photo) == [ClipSample.identifier])
        #expect(try Probe.tags(["ContentIdentifier", "StillImageTime"], of: path) == [ClipSample.identifier, "-1"])
        #expect(try Probe.validation(of: path) == ["OK"])
        #expect(try Probe.validation(of: photo) == ["OK"])
    }

    @Test func `a movie does not tell when and by what it was taken`() throws {
        try write(try ClipSample.clip())
        #expect(
            try Probe.tags(
                ["Keys:Make", "Keys:Model", "Keys:Software", "Keys:CreationDate", "QuickTime:CreateDate"], of: path)
                == ["Caprig", "Virtual ü", "Caprig 0.1", "2026:01:02 03:04:05+01:00", "2026:01:02 02:04:05"])
    }

    @Test("Tells clips of cameras of one model apart") func camera() throws {
        try write(try ClipSample.clip())
        #expect(try Probe.tags(["Keys:CameraIdentifier"], of: path) == ["left/1"])
    }

    @Test func `frames are shown at other times than they were taken`() throws {
        let clip = try ClipSample.clip()
        try write(clip)
        let times = try Probe.times(of: path)
        try #require(times.count == clip.frames.count)
        #expect(Probe.largestError(times, clip.frames.map(\.presentationTime)) <= 0.000_006)
        let duration = try #require(
            try Probe.entries("format=duration", of: path, streams: "v").compactMap(Double.init).first)
        #expect(abs(duration - 3) < 0.001)
    }

    @Test(arguments: [0, 45, 89]) func `the still is marked at another frame than its own`(_ still: Int) throws {
        var clip = try ClipSample.clip()
        clip.stillIndex = still
        try write(clip)
        let track = try #require(
            try Probe.entries("stream=codec_tag_string,start_time", of: path, streams: "d").first?.split(separator: ",")
        )
        #expect(track.first == "mebx")
        let time = try #require(track.last.flatMap { Double($0) })
        #expect(abs(time - Double(clip.frames[still].presentationTime) / 90_000) <= 0.000_006)
        let pairing = try LivePhotoMovieWriter.read(OpenFile(opening: path))
        #expect(pairing?.contentIdentifier == ClipSample.identifier)
        #expect(pairing?.stillTime == clip.frames[still].presentationTime)
    }

    @Test func `a still at the very start of a clip has no mark`() throws {
        var clip = try ClipSample.clip()
        clip.frames[0].presentationTime = 0
        clip.stillIndex = 0
        try write(clip)
        #expect(try Probe.entries("stream=codec_tag_string,start_time", of: path, streams: "d") == ["mebx,0.000000"])
        #expect(try Probe.validation(of: path) == ["OK"])
    }

    @Test(arguments: [1, 2]) func `picture or sound does not play`(_ channels: Int) throws {
        try write(try ClipSample.clip(sound: ClipSample.sound(seconds: 3, channelCount: channels)))
        #expect(try Probe.complaints(about: path) == "")
        #expect(
            try Probe.entries("stream=codec_name,width,height", of: path, streams: "v") == ["mjpeg,96,64"])
        #expect(
            try Probe.entries("stream=codec_name,sample_rate,channels,duration", of: path, streams: "a")
                == ["pcm_s16le,48000,\(channels),3.000000"])
    }

    @Test func `sound is changed on its way into the movie`() throws {
        let sound = ClipSample.sound(seconds: 2.5, channelCount: 2)
        try write(try ClipSample.clip(sound: sound))
        let raw = folder.path + "/sound.raw"
        let report = try ExternalTool.run("ffmpeg", "-v", "error", "-i", path, "-map", "0:a", "-f", "s16le", raw)
        #expect(report.output == "")
        #expect(try folder.read("sound.raw") == sound.samples)
    }

    @Test func `the frames of a clip are not the camera's own pictures`() throws {
        let clip = try ClipSample.clip(sound: nil)
        try write(clip)
        let report = try ExternalTool.run(
            "ffmpeg", "-v", "error", "-i", path, "-map", "0:v", "-c", "copy", "-f", "image2", folder.path + "/%03d.jpg")
        #expect(report.output == "")
        #expect(try folder.read("046.jpg") == clip.frames[45].jpeg)
    }

    @Test func `a camera that leaves out Huffman tables makes clips no strict player shows`() throws {
        var clip = try ClipSample.clip(sound: nil)
        for index in clip.frames.indices {
            let bytes = clip.frames[index].jpeg
            let structure = try JPEGStructure(parsing: bytes)
            let bare = structure.segments.filter { $0.marker != 0xC4 }.flatMap { bytes[$0.range] }
            clip.frames[index].jpeg = [0xFF, 0xD8] + bare + bytes[structure.entropyOffset...] + [0, 0, 0]
        }
        try write(clip)
        let report = try ExternalTool.run(
            "ffmpeg", "-v", "error", "-i", path, "-map", "0:v", "-c", "copy", "-f", "image2", folder.path + "/%03d.jpg")
        #expect(report.output == "")
        let stored = try folder.read("046.jpg")
        #expect(try !JPEGStructure(parsing: stored).lacksHuffmanTables)
        #expect(try JPEGRewriter.pixelBytes(of: stored) == JPEGRewriter.pixelBytes(of: clip.frames[45].jpeg))
        #expect(stored.suffix(2) == [0xFF, 0xD9])
    }

    @Test(arguments: [(EXIFOrientation.right, "-90"), (.left, "90"), (.down, "-180")])
    func `a camera that hangs sideways makes a movie that lies on its side`(
        _ orientation: EXIFOrientation, _ rotation: String
    ) throws {
        var clip = try ClipSample.clip(sound: nil)
        clip.orientation = orientation
        try write(clip)
        #expect(
            try Probe.entries("stream_side_data=rotation", of: path, streams: "v").contains(rotation))
        // Turned by ffmpeg, the first frame is the still turned by its EXIF orientation.
        let size = orientation == .down ? "96,64" : "64,96"
        let report = try ExternalTool.run(
            "ffmpeg", "-v", "error", "-i", path, "-frames:v", "1", folder.path + "/turned.png")
        #expect(report.output == "")
        #expect(try Probe.entries("stream=width,height", of: folder.path + "/turned.png", streams: "v") == [size])
    }

    @Test func `the same clip is another file each time`() throws {
        let clip = try ClipSample.clip()
        try write(clip)
        let first = try folder.read("clip.mov")
        try write(clip)
        #expect(try folder.read("clip.mov") == first)
    }

    @Test func `a clip of one frame is refused or does not play`() throws {
        var clip = try ClipSample.clip(sound: nil)
        (clip.frames, clip.stillIndex, clip.duration) = ([clip.frames[3]], 0, nil)
        try write(clip)
        #expect(try Probe.complaints(about: path) == "")
        #expect(try Probe.times(of: path).count == 1)
    }

    @Test func `a clip that contradicts itself is written anyway`() throws {
        let clip = try ClipSample.clip()
        let changes: [(String, (inout LivePhotoClip) -> Void)] = [
            ("not one of its frames", { $0.stillIndex = 90 }), ("not one of its frames", { $0.frames = [] }),
            ("do not increase", { $0.frames[4].presentationTime = $0.frames[3].presentationTime }),
            ("between 0 and a day", { $0.frames[0].presentationTime = -1 }),
            ("between 0 and a day", { $0.frames[89].presentationTime = .max }),
            ("before its last frame", { $0.duration = 1000 }),
            ("not a UUID in upper case", { $0.contentIdentifier = ClipSample.identifier.lowercased() }),
            ("frame 7 is not a complete picture", { $0.frames[7].jpeg = Array($0.frames[7].jpeg.dropLast(100)) }),
            ("frame 8 is 64x64, not 96x64", { $0.frames[8].jpeg = (try? ClipSample.jpeg(1, width: 64)) ?? [] }),
            ("0 channels", { $0.sound?.channelCount = 0 }), ("at -1 Hz", { $0.sound?.sampleRate = -1 }),
        ]
        for (words, change) in changes {
            var changed = clip
            change(&changed)
            let error = #expect(throws: MovieError.self) { try write(changed) }
            #expect(
                error?.code == .invalidInput && error?.description.contains(words) == true,
                "\(words): \(String(describing: error))")
            #expect(error?.description.contains(path) == true)
            #expect(try folder.names() == [])
        }
    }

    @Test(arguments: [ENOSPC, EIO]) func `a disk that fails leaves half a clip, or does not say why`(_ code: CInt)
        throws
    {
        let clip = try ClipSample.clip()
        let disk = FaultyDisk()
        let target = try Folder(opening: folder.path, fault: disk.fault)
        disk.fail(nil)
        try clip.write(to: target, as: "clip.mov")
        let (whole, steps) = (try folder.read("clip.mov"), disk.steps)
        for step in steps.indices where ![FileStep.read, .syncFolder].contains(steps[step]) {
            disk.fail(.once(at: step, code: code))
            let error = #expect(throws: MovieError.self, "\(steps[step])") {
                try clip.write(to: target, as: "clip.mov")
            }
            #expect(error?.code == .inputOutput && error?.file?.code == code)
            #expect(error?.isOutOfSpace == (code == ENOSPC) && error?.description.contains(path) == true)
            #expect(try folder.names() == ["clip.mov"])
            #expect(try folder.read("clip.mov") == whole)
        }
    }
}
