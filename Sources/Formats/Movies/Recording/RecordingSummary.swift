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
        var lines = SidecarLines(file)
        while let line = try MovieFile.posix({ () throws(PosixError) in try lines.next() }) { take(line) }
    }

    private mutating func take(_ line: SidecarLines.Line) {
        guard line.isFrame else {
            if line.bytes.starts(with: FrameSidecar.headerStart) { start = line.number("segmentStart") ?? start }
            return
        }
        lastTime = line.presentationTime ?? lastTime
        let missing = line.number("droppedBefore") ?? 0
        if frameCount > 0 { missingFrameCount &+= missing } else { missingBeforeFirst = missing }
        frameCount += 1
    }
}
