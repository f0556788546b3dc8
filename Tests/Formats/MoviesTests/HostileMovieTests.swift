import CaptureTestSupport
import Movies
import PosixSupport
import Testing

/// Files that are not movies, or pretend to be.
@Suite struct HostileMovieTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func pairing(_ bytes: [UInt8]) throws -> LivePhotoMovieWriter? {
        try LivePhotoMovieWriter.read(OpenFile(opening: folder.write(bytes, as: "hostile.mov")))
    }

    @Test func `a movie that was cut off anywhere ends the program`() throws {
        var clip = try ClipSample.clip(sound: nil)
        clip.frames.removeSubrange(50...)
        clip.duration = nil
        try clip.write(to: Folder(opening: folder.path), as: "clip.mov")
        let whole = try folder.read("clip.mov")
        #expect(try pairing(whole)?.contentIdentifier == ClipSample.identifier)
        for count in stride(from: 0, to: whole.count, by: 211) {
            #expect(throws: MovieError.self) { try pairing(Array(whole.prefix(count))) }
        }
    }

    @Test func `a movie is lost when something is added behind an atom that reaches to the end of the file`() throws {
        var clip = try ClipSample.clip(sound: nil)
        clip.frames.removeSubrange(50...)
        clip.duration = nil
        try clip.write(to: Folder(opening: folder.path), as: "clip.mov")
        var bytes = try folder.read("clip.mov")
        bytes += [0, 0, 0, 0] + Array("free".utf8) + [1, 2, 3]
        let path = try folder.write(bytes, as: "open.mov")
        let file = try Folder(opening: folder.path).open("open.mov", for: .updating)
        let added = LivePhotoMovieWriter(tags: LivePhotoTags(contentIdentifier: ClipSample.identifier), stillTime: 0)
        #expect(throws: MovieError.self) { try added.add(to: file) }
        #expect(try folder.read("open.mov") == bytes, "\(path) is as it was")
    }

    @Test func `sizes that lead out of the file are followed`() throws {
        var clip = try ClipSample.clip(sound: nil)
        clip.frames.removeSubrange(50...)
        clip.duration = nil
        try clip.write(to: Folder(opening: folder.path), as: "clip.mov")
        let whole = try folder.read("clip.mov")
        var generator = SeededGenerator(seed: 11)
        // The index stands at the end: its sizes, counts and numbers are what is changed.
        for _ in 0..<400 {
            var changed = whole
            for _ in 0..<4 {
                let offset = Int.random(in: whole.count - 1800..<whole.count - 4, using: &generator)
                let value: UInt32 = [0, 1, 7, 8, .max, 0x7FFF_FFFF, 0x8000_0000][Int(generator.next() % 7)]
                changed.replaceSubrange(
                    offset..<offset + 4, with: [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) })
            }
            // Whatever is read or thrown: nothing traps, and nothing outside of the file is touched.
            _ = try? pairing(changed)
            let file = try Folder(opening: folder.path).open("hostile.mov", for: .updating)
            try? LivePhotoMovieWriter(tags: LivePhotoTags(contentIdentifier: "A"), stillTime: 5).add(to: file)
        }
    }

    /// The head of a box `moov` that says that it has so many bytes, and what follows.
    private static func movieBox(_ byteCount: UInt8, _ rest: [UInt8] = []) -> [UInt8] {
        [0, 0, 0, byteCount] + Array("moov".utf8) + rest
    }

    private static let withoutIndex: [[UInt8]] = [
        [], [0], [0, 0, 0, 8], movieBox(7), movieBox(1), movieBox(1, [UInt8](repeating: 0xFF, count: 8)),
        movieBox(0), movieBox(9, [0]), movieBox(16, [0, 0, 0, 8] + Array("mvhd".utf8)),
    ]

    @Test(arguments: withoutIndex)
    func `a file without a sound index is taken for a movie`(_ bytes: [UInt8]) {
        let error = #expect(throws: MovieError.self) { try pairing(bytes) }
        #expect(error?.code == .malformed && error?.description.contains("hostile.mov") == true)
    }
}
