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
            try MovieMuxer(to: file, streams: [sound], options: MovieOptions(.mp4))
        }
        #expect(error?.description.contains("sound.mp4") == true)
        #expect(error?.description.contains("pcm_s16le") == true, "\(String(describing: error))")
    }

    @Test func `a packet for a stream that is not there ends the program`() throws {
        let file = try files.open("a.mov", for: .writing)
        let muxer = try MovieMuxer(to: file, streams: [sound], options: MovieOptions(.quickTime))
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
            to: file, streams: [sound], options: MovieOptions(.quickTime, metadata: ["title": "Größe"]))
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

    @Test func `a file that is no movie is read, or ends the program`() throws {
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
        let muxer = try MovieMuxer(to: file, streams: [sound], options: MovieOptions(.quickTime))
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
