internal import PosixSupport

/// The whole lines of a sidecar, in order; what stands behind the last one is none. Reading blocks on the disk.
struct SidecarLines {
    struct Line {
        /// Its bytes without its end; of a long one, which is no frame's, the first ones.
        var bytes: [UInt8]
        /// The first byte behind it in the file.
        var end: Int64

        /// Whether it is about a frame.
        var isFrame: Bool { bytes.starts(with: FrameSidecar.frameStart) }

        /// The frame's time in the movie, 1/90 000 s; nil where the line is not about one, or does not say.
        var presentationTime: Int64? {
            isFrame ? Self.number(in: bytes[FrameSidecar.frameStart.count...]) : nil
        }

        /// The number that a member has; nil where there is none.
        func number(_ member: String) -> Int64? {
            let name = Array("\"\(member)\":".utf8)
            guard let start = bytes.indices.first(where: { bytes[$0...].starts(with: name) }) else { return nil }
            return Self.number(in: bytes[(start + name.count)...])
        }

        private static func number(in bytes: ArraySlice<UInt8>) -> Int64? {
            let digits = bytes.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            return Int64(String(decoding: digits, as: UTF8.self))
        }
    }

    private static let pieceSize = 1 << 20
    /// A frame's line is a fraction of that.
    private static let lengthLimit = 4096
    private let file: OpenFile
    private var piece: ArraySlice<UInt8> = []
    /// The first byte behind `piece` in the file.
    private var offset: Int64 = 0

    init(_ file: OpenFile) {
        self.file = file
    }

    /// The next line; nil at the end.
    mutating func next() throws(PosixError) -> Line? {
        var bytes: [UInt8] = []
        while true {
            let part = piece.prefix { $0 != UInt8(ascii: "\n") }
            bytes += part.prefix(Self.lengthLimit - bytes.count)
            if part.endIndex < piece.endIndex {
                piece = piece[(part.endIndex + 1)...]
                return Line(bytes: bytes, end: offset - Int64(piece.count))
            }
            piece = try file.read(at: offset, count: Self.pieceSize)[...]
            guard !piece.isEmpty else { return nil }
            offset += Int64(piece.count)
        }
    }
}
