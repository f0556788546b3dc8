public import PosixSupport

/// What the sidecar of a finished recording says of its frames together.
public struct RecordingSummary: Hashable, Sendable {
    /// Lines about frames.
    public private(set) var frameCount = 0
    /// Frames that are missing between the first and the last.
    public private(set) var missingFrameCount: Int64 = 0
    /// Frames that are missing before the first, where it is not the recording's first.
    public private(set) var missingBeforeFirst: Int64 = 0
    /// Where its times begin, in 1/90 000 s from the recording's start.
    public private(set) var start: Int64 = 0
    /// Presentation time of the last frame, 1/90 000 s.
    public private(set) var lastTime: Int64 = 0

    /// Reads a sidecar. Blocks on the disk.
    /// - Throws: ``MovieError`` of code `inputOutput`.
    public init(ofSidecar file: OpenFile) throws(MovieError) {
        var line: [UInt8] = []
        var offset: Int64 = 0
        while true {
            let (start, count) = (offset, 1 << 20)
            let piece = try MovieFile.posix { () throws(PosixError) in try file.read(at: start, count: count) }
            guard !piece.isEmpty else { return }
            for byte in piece {
                guard byte == UInt8(ascii: "\n") else {
                    // A frame's line is a fraction of that; a mark's is not looked at.
                    if line.count < 4096 { line.append(byte) }
                    continue
                }
                take(line)
                line.removeAll(keepingCapacity: true)
            }
            offset += Int64(piece.count)
        }
    }

    private mutating func take(_ line: [UInt8]) {
        guard line.starts(with: FrameSidecar.frameStart) else {
            if line.starts(with: FrameSidecar.headerStart) {
                start = Self.value(of: #""segmentStart":"#, in: line) ?? start
            }
            return
        }
        lastTime = Self.number(in: line[FrameSidecar.frameStart.count...]) ?? lastTime
        let missing = Self.value(of: #""droppedBefore":"#, in: line) ?? 0
        if frameCount > 0 { missingFrameCount &+= missing } else { missingBeforeFirst = missing }
        frameCount += 1
    }

    private static func value(of member: String, in line: [UInt8]) -> Int64? {
        let name = Array(member.utf8)
        guard let start = line.indices.first(where: { line[$0...].starts(with: name) }) else { return nil }
        return number(in: line[(start + name.count)...])
    }

    private static func number(in bytes: ArraySlice<UInt8>) -> Int64? {
        let digits = bytes.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        return Int64(String(decoding: digits, as: UTF8.self))
    }
}
