public import CaptureModel
public import ImageMetadata
public import PosixSupport

/// The totals of the sidecar of a finished recording.
public struct RecordingSummary: Hashable, Sendable {
    /// Lines about frames.
    public private(set) var frameCount = 0
    /// Missing frames between the first and the last.
    public private(set) var missingFrameCount: Int64 = 0
    /// Missing frames before the first, if it is not the recording's first.
    public private(set) var missingBeforeFirst: Int64 = 0
    /// The time from which its times count, in 1/90 000 s from the recording's start.
    public private(set) var start: Int64 = 0
    /// Presentation time of the last frame, 1/90 000 s.
    public private(set) var lastTime: Int64 = 0
    /// Its frames; nil without any, and if one did not come when its number says.
    public private(set) var train: FrameTrain?
    private let interval: Duration

    /// Reads a sidecar. Blocks on the disk.
    /// - Parameter interval: The frame interval that the camera's format states.
    /// - Throws: ``MovieError`` of code `inputOutput`.
    public init(ofSidecar file: OpenFile, interval: Duration) throws(MovieError) {
        self.interval = interval
        var lines = SidecarLines(file)
        while let line = try MovieFile.posix({ () throws(PosixError) in try lines.next() }) { add(line) }
    }

    private mutating func add(_ line: SidecarLines.Line) {
        guard line.isFrame else {
            if line.bytes.starts(with: FrameSidecar.headerStart) { start = line.number("segmentStart") ?? start }
            return
        }
        lastTime = line.presentationTime ?? lastTime
        let missing = line.number("droppedBefore") ?? 0
        if frameCount > 0 { missingFrameCount &+= missing } else { missingBeforeFirst = missing }
        extendTrain(by: line, missing)
        frameCount += 1
    }

    private mutating func extendTrain(by line: SidecarLines.Line, _ missing: Int64) {
        let next = line.number("rigTimeNanoseconds").flatMap { time in
            line.number("boundNanoseconds").map { FrameTrain(.init(nanoseconds: time, boundNanoseconds: $0)) }
        }
        guard frameCount > 0 else { return train = next }
        train = next.flatMap { train?.followed(by: $0, missing: missing, interval: interval) }
    }
}

/// A frame of a recording, with its values for the sidecar.
public struct RecordedFrame: Hashable, Sendable {
    /// A complete JPEG of the recording's size.
    public var jpeg: [UInt8]
    /// When the frame was exposed, in 1/90 000 s from the recording's start; see ``MovieTime``.
    public var presentationTime: Int64
    /// The same instant in rig time, and its largest error, in nanoseconds.
    public var rigTimeNanoseconds: Int64
    public var boundNanoseconds: Int64
    /// The camera's number of the frame.
    public var number: Int64
    /// Exposure time in nanoseconds, if the camera reports it.
    public var exposureNanoseconds: Int64?
    /// Gain in the camera's units, if the camera reports it.
    public var gain: Int64?
    /// The settings of the frame; nil if no transaction has made them.
    public var settings: FrameSettings?
    /// Missing frames between the previous frame and this one.
    public var droppedBefore: Int64

    public init(
        jpeg: [UInt8], presentationTime: Int64, rigTimeNanoseconds: Int64, boundNanoseconds: Int64, number: Int64,
        exposureNanoseconds: Int64? = nil, gain: Int64? = nil, settings: FrameSettings? = nil, droppedBefore: Int64 = 0
    ) {
        self.jpeg = jpeg
        self.presentationTime = presentationTime
        self.rigTimeNanoseconds = rigTimeNanoseconds
        self.boundNanoseconds = boundNanoseconds
        self.number = number
        self.exposureNanoseconds = exposureNanoseconds
        self.gain = gain
        self.settings = settings
        self.droppedBefore = droppedBefore
    }
}

/// The format of a recording, and the metadata of its files.
public struct RecordingFormat: Hashable, Sendable {
    /// Pixels across.
    public var width: Int
    /// Pixels down.
    public var height: Int
    /// The nominal frame rate of the camera, by which editors and the time code count.
    public var frameRate: FrameRate
    /// The format of the sound; nil for a silent recording.
    public var sound: Sound?
    /// How viewers rotate the frames.
    public var orientation: EXIFOrientation
    /// Name of the camera, by which editors distinguish angles.
    public var reelName: String
    /// Time code of presentation time 0, at ``frameRate``; nil for none.
    public var timecodeStart: SMPTETimecode?
    /// The instant of presentation time 0.
    public var creationDate: EXIFTimestamp
    /// A title, if there is one at the start.
    public var title: String?

    /// The form of sound samples: signed 16 bits, little-endian, interleaved.
    public struct Sound: Hashable, Sendable {
        /// Samples per second of each channel, in hertz.
        public var sampleRate: Int
        /// Number of channels, 1 to 8.
        public var channelCount: Int

        public init(sampleRate: Int, channelCount: Int) {
            self.sampleRate = sampleRate
            self.channelCount = channelCount
        }
    }

    public init(
        width: Int, height: Int, frameRate: FrameRate, sound: Sound? = nil, orientation: EXIFOrientation = .up,
        reelName: String, timecodeStart: SMPTETimecode? = nil, creationDate: EXIFTimestamp, title: String? = nil
    ) {
        self.width = width
        self.height = height
        self.frameRate = frameRate
        self.sound = sound
        self.orientation = orientation
        self.reelName = reelName
        self.timecodeStart = timecodeStart
        self.creationDate = creationDate
        self.title = title
    }

    /// Why this format cannot be recorded; nil if it can.
    var problem: String? {
        guard (1...65_535).contains(width), (1...65_535).contains(height) else {
            return "pictures of \(width)x\(height) cannot be stored"
        }
        guard let sound else { return nil }
        return (1...768_000).contains(sound.sampleRate) && (1...8).contains(sound.channelCount)
            ? nil : "sound of \(sound.channelCount) channels at \(sound.sampleRate) Hz cannot be stored"
    }

    /// Returns the time code of a presentation time.
    func timecode(at time: Int64) -> SMPTETimecode? {
        timecodeStart?.advanced(by: time, timeScale: MovieTime.unitsPerSecond)
    }
}

/// The complete lines of a sidecar, in order. Bytes after the last line end are ignored. Reading blocks on the disk.
struct SidecarLines {
    struct Line {
        /// Its bytes without the line end. Of a long line, which is not a frame's, only the first ones.
        var bytes: [UInt8]
        /// The offset in the file of the first byte after it.
        var end: Int64

        /// Whether it is about a frame.
        var isFrame: Bool { bytes.starts(with: FrameSidecar.frameStart) }

        /// The frame's time in the movie, in 1/90 000 s; nil if the line is not a frame's or has no time.
        var presentationTime: Int64? {
            isFrame ? Self.number(in: bytes[FrameSidecar.frameStart.count...]) : nil
        }

        /// Returns the number of a member; nil if there is none.
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
    /// The most bytes kept of a line. A frame's line is much shorter.
    private static let lengthLimit = 4096
    private let file: OpenFile
    private var piece: ArraySlice<UInt8> = []
    /// The offset in the file of the first byte after `piece`.
    private var offset: Int64 = 0

    init(_ file: OpenFile) {
        self.file = file
    }

    /// Returns the next line; nil at the end.
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
