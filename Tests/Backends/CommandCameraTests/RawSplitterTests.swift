import CaptureModel
import CaptureTestSupport
import Testing

@testable import ProgramCamera

@Suite("Command camera: raw frames in a program's output")
struct RawSplitterTests {
    private static let header = "frame GREY 4 3 12 full\n"

    /// A frame of ``header``, whose bytes are `value`.
    private func frame(_ value: UInt8, header: String = header) -> [UInt8] {
        Array(header.utf8) + [UInt8](repeating: value, count: 12)
    }

    /// Splits bytes that come in pieces.
    private func split(_ bytes: [UInt8], pieces: Int = .max) -> (found: [FoundPicture], splitter: RawSplitter) {
        var splitter = RawSplitter()
        var found: [FoundPicture] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = rest.prefix(pieces)
            rest = rest.dropFirst(pieces)
            splitter.add { $0 += piece }
            while let next = splitter.next() { found.append(next) }
            #expect(splitter.end <= bytes.count && splitter.start <= splitter.end && splitter.wanted > 0)
        }
        return (found, splitter)
    }

    @Test("Finds each frame and where it began, however the bytes are cut", arguments: [1, 2, 7, 34, 35, 36, .max])
    func pieces(size: Int) {
        let bytes = frame(1) + frame(2) + frame(3)
        let (found, splitter) = split(bytes, pieces: size)
        let length = bytes.count / 3
        let expected = (0..<3).map { index in
            FoundPicture.image([UInt8](repeating: UInt8(index + 1), count: 12), began: index * length)
        }
        #expect(found == expected && !splitter.isWithinImage)
        #expect(splitter.format?.pixelFormat == .grey && splitter.format?.range == .full)
    }

    @Test("Asks for the rest of a frame, so that the next header is not read with it")
    func wanted() {
        var splitter = RawSplitter()
        splitter.add { $0 += frame(1).dropLast(5) }
        #expect(splitter.next() == nil && splitter.wanted == 5 && splitter.isWithinImage)
        splitter.add { $0 += [1, 1, 1, 1, 1] }
        #expect(splitter.next() == .image([UInt8](repeating: 1, count: 12), began: 0))
        #expect(!splitter.isWithinImage)
    }

    @Test("Reads every pixel format that has a fixed number of bytes", arguments: PixelFormat.allCases)
    func formats(format: PixelFormat) throws {
        guard let count = format.byteCount(width: 16, height: 8) else {
            #expect(throws: RawFormat.Wrong.self) { try RawFormat(header: "frame \(format.rawValue) 16 8 1 full") }
            return
        }
        let header = "frame \(format.rawValue) 16 8 \(count) limited\n"
        let (found, splitter) = split(Array(header.utf8) + [UInt8](repeating: 9, count: count), pieces: 50)
        #expect(found == [.image([UInt8](repeating: 9, count: count), began: 0)])
        #expect(splitter.format?.range == .limited && splitter.format?.byteCount == count)
    }

    @Test(
        "Refuses what is not a header, and reads nothing behind it",
        arguments: [
            ("frame GREY 4 3 12\n", "is not a header"), ("frame GREY 4 3 12 full 1\n", "is not a header"),
            ("frame GREY 4 3 12 wide\n", "is not a header"), ("frame GREY 4  3 12 full\n", "is not a header"),
            ("\n", "is not a header"), ("frame MJPG 4 3 12 full\n", "'MJPG' are not read"),
            ("frame H264 4 3 12 full\n", "'H264' are not read"), ("frame GREY 0 3 0 full\n", "0x3 are not read"),
            ("frame GREY -4 -3 12 full\n", "are not read"), ("frame GREY 4 3 13 full\n", "has 12 bytes, not 13"),
            ("frame GREY 4 3 -12 full\n", "has 12 bytes"), ("frame RG16 65535 65535 8589672450 full\n", "are not read"),
            ("frame GREY 99999999999999999999 3 12 full\n", "is not a header"),
            ("frame GREY 4 3 12 full" + String(repeating: " ", count: 99), "more than 64 bytes"),
            ("\u{FF}\u{D8}\u{FF}\n", "is not a header"),
        ])
    func refused(header: String, reason: String) {
        for size in [1, 5, Int.max] {
            let (found, splitter) = split(Array(header.utf8) + frame(1), pieces: size)
            guard case .refused(let told) = found.first else {
                Issue.record("'\(header)' was read: \(found)")
                return
            }
            #expect(found.count == 1 && told.contains(reason), "\(told)")
            #expect(splitter.end - splitter.start == 0, "nothing is kept")
        }
    }

    @Test("Refuses a frame of another format than those before it")
    func changed() {
        let (found, _) = split(frame(1) + frame(2, header: "frame GREY 3 4 12 full\n") + frame(3))
        #expect(found.count == 2)
        #expect(found.last == .refused("a frame has another format than those before it; end, to be started again"))
    }

    @Test("Ends with every kind of garbage, the same however it is cut")
    func garbage() {
        var generator = SeededGenerator(seed: 5)
        for round in 0..<200 {
            var bytes = frame(1) + frame(2)
            for _ in 0...round % 4 {
                let place = Int.random(in: 0..<bytes.count, using: &generator)
                bytes[place] = UInt8.random(in: 0...255, using: &generator)
            }
            let size = Int.random(in: 1...40, using: &generator)
            #expect(split(bytes, pieces: size).found == split(bytes).found)
        }
    }
}
