import CaptureTestSupport
import LibAV
import PosixSupport
import Testing

@Suite struct MovieMuxerTests {
    let folder: TemporaryFolder
    let files: Folder

    init() throws {
        folder = try TemporaryFolder()
        files = try Folder(opening: folder.path)
    }

    private let sound = MediaStream(
        codec: .pcm16, format: .audio(sampleRate: 8000, channelCount: 1), timeBase: MediaRational(1, 8000))

    @Test func `an MP4 takes sound that no player of MP4 plays, or does not say why not`() throws {
        let file = try files.open("sound.mp4", for: .writing)
        let error = #expect(throws: LibAVError.self) {
            try MovieMuxer(to: file, streams: [sound], options: MuxOptions(.mp4))
        }
        #expect(error?.description.contains("sound.mp4") == true)
        #expect(error?.description.contains("pcm_s16le") == true, "\(String(describing: error))")
    }

    @Test func `a packet for a stream that is not there ends the program`() throws {
        let file = try files.open("a.mov", for: .writing)
        let muxer = try MovieMuxer(to: file, streams: [sound], options: MuxOptions(.quickTime))
        #expect(throws: LibAVError.self) {
            try muxer.write(MediaPacket(stream: 1, presentationTime: 0, bytes: [0, 0]))
        }
        #expect(throws: LibAVError.self) {
            try muxer.write(MediaPacket(stream: -1, presentationTime: 0, bytes: [0, 0]))
        }
    }

    @Test func `packets come back changed`() throws {
        let file = try files.open("a.mov", for: .writing)
        let muxer = try MovieMuxer(
            to: file, streams: [sound], options: MuxOptions(.quickTime, metadata: ["title": "Größe"]))
        let blocks = (0..<10).map { block in (0..<1600).map { UInt8(truncatingIfNeeded: $0 * 7 + block) } }
        for (number, block) in blocks.enumerated() {
            try muxer.write(
                MediaPacket(stream: 0, presentationTime: Int64(number) * 800, duration: 800, bytes: block))
        }
        try muxer.finish()
        try muxer.finish()
        let demuxer = try MovieDemuxer(from: OpenFile(opening: folder.path + "/a.mov"))
        #expect(demuxer.metadata["title"] == "Größe")
        #expect(demuxer.streams.map(\.codec) == [.pcm16])
        #expect(demuxer.streams.map(\.format) == [sound.format])
        var bytes: [UInt8] = []
        while let packet = try demuxer.next() {
            #expect(packet.presentationTime == Int64(bytes.count / 2))
            bytes += packet.bytes
        }
        #expect(bytes == Array(blocks.joined()))
    }

    @Test func `a file that is not a movie is read, or ends the program`() throws {
        var generator = SeededGenerator(seed: 4)
        for count in [0, 1, 8, 100, 5000] {
            let bytes = (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
            let path = try folder.write(bytes, as: "noise")
            let error = #expect(throws: LibAVError.self) { try MovieDemuxer(from: OpenFile(opening: path)) }
            #expect(error?.description.contains(path) == true)
        }
    }

    @Test func `a failing disk is not told apart from a bad movie`() throws {
        let disk = FaultyDisk()
        let faulty = try Folder(opening: folder.path, fault: disk.fault)
        let file = try faulty.open("a.mov", for: .writing)
        let muxer = try MovieMuxer(to: file, streams: [sound], options: MuxOptions(.quickTime))
        disk.fail(.every(.write, code: 28))
        let error = #expect(throws: LibAVError.self) {
            for number in 0..<100 {
                try muxer.write(
                    MediaPacket(
                        stream: 0, presentationTime: Int64(number) * 8000, bytes: [UInt8](repeating: 1, count: 16_000)))
            }
            try muxer.finish()
        }
        #expect(error?.file?.isOutOfSpace == true)
    }
}

/// Movies that FFmpeg has made, copied and read again.
@Suite(.enabled(if: ["ffmpeg", "ffprobe"].allSatisfy(ExternalTool.isExpected))) struct MovieRemuxerTests {
    let temporary: TemporaryFolder
    let folder: Folder

    init() throws {
        temporary = try TemporaryFolder()
        folder = try Folder(opening: temporary.path)
    }

    /// Two seconds of H.264 with B-frames, and AAC.
    private func makeSource(_ name: String, _ options: [String] = []) throws {
        let report = try ExternalTool.run(
            ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc=size=160x90:rate=30", "-f", "lavfi", "-i", "sine"]
                + ["-t", "2", "-c:v", "libx264", "-bf", "2", "-pix_fmt", "yuv420p", "-c:a", "aac"] + options
                + [temporary.path + "/" + name])
        #expect(report.output == "")
    }

    private func packets(of name: String, _ streams: String) throws -> [String] {
        try ExternalTool.run(
            "ffprobe", "-v", "error", "-select_streams", streams, "-show_entries", "packet=pts_time,size,flags", "-of",
            "csv=p=0", temporary.path + "/" + name
        ).output.split(separator: "\n").map(String.init)
    }

    @Test(arguments: [MuxOptions.Container.quickTime, .mp4])
    func `H.264 with B-frames and AAC do not survive being copied`(_ container: MuxOptions.Container) throws {
        try makeSource("a.mp4")
        try MovieRemuxer.copy(
            from: folder.open("a.mp4", for: .reading), to: folder.open("b", for: .writing),
            options: MuxOptions(container))
        for streams in ["v", "a"] {
            let found = try packets(of: "b", streams)
            #expect(try found == packets(of: "a.mp4", streams) && found.count > 50)
        }
        let report = try ExternalTool.run("ffmpeg", "-v", "error", "-i", temporary.path + "/b", "-f", "null", "-")
        #expect(report.output == "")
    }

    @Test func `a movie cut off within a fragment gives half a packet, or nothing of what stands before`() throws {
        try makeSource("a.mov", ["-movflags", "frag_keyframe+empty_moov", "-g", "15"])
        let whole = try temporary.read("a.mov")
        var counts: [Int] = []
        for share in [9, 7, 5, 3] {
            try temporary.write(Array(whole.prefix(whole.count * share / 10)), as: "cut.mov")
            let demuxer = try MovieDemuxer(from: folder.open("cut.mov", for: .reading))
            var count = 0
            while let packet = try demuxer.next() {
                if demuxer.streams[packet.stream].isVideo { count += 1 }
            }
            counts.append(count)
            try MovieRemuxer.copy(
                from: folder.open("cut.mov", for: .reading), to: folder.open("whole.mov", for: .writing),
                options: MuxOptions(.quickTime))
            let report = try ExternalTool.run(
                "ffmpeg", "-v", "error", "-i", temporary.path + "/whole.mov", "-map", "0:v", "-f", "null", "-")
            #expect(report.output == "", "\(share) tenths")
        }
        #expect(counts == counts.sorted(by: >) && (counts.last ?? 0) >= 5 && (counts.first ?? 0) <= 60, "\(counts)")
    }

    @Test func `a time code is lost with the file that is not finished`() throws {
        let pictures = MediaStream(
            codec: .motionJPEG, format: .video(width: 16, height: 16), timeBase: MediaRational(1, 90_000),
            averageFrameRate: MediaRational(25, 1), metadata: ["reel_name": "CAM A"])
        let muxer = try MovieMuxer(
            to: folder.open("a.mov", for: .writing), streams: [pictures],
            options: MuxOptions(.quickTime, isFragmented: true, timecode: "10:11:12:24"))
        for number in 0..<5 {
            try muxer.write(
                MediaPacket(
                    stream: 0, presentationTime: Int64(number) * 3600, duration: 3600, bytes: [0xFF, 0xD8, 0xFF, 0xD9]))
        }
        try muxer.flush()
        let report = try ExternalTool.run(
            "ffprobe", "-v", "quiet", "-select_streams", "d", "-show_entries", "stream_tags=timecode,reel_name", "-of",
            "csv=p=0", temporary.path + "/a.mov")
        #expect(report.output.contains("10:11:12:24") && report.output.contains("CAM A"), "\(report.output)")
        withExtendedLifetime(muxer) {}
    }
}
