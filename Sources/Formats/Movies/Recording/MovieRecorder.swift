public import PosixSupport

/// Records a camera into movies that survive the end of the process at any moment, except for their last fragment.
///
/// Frames are stored as the camera delivers them. ``RecordingMachine`` decides when files and fragments begin and end.
/// A movie is called `NAME-001.recording.mov` while it is recorded. ``RecordingFinisher`` makes `NAME-001.mov` from it,
/// after ``stop()`` or after a crash. Not `Sendable`: use it from one thread. Calls block on the disk.
public final class MovieRecorder {
    /// Why it has ended, by ``stop()`` or automatically; nil while it accepts frames.
    public private(set) var end: RecordingEnd?
    /// The first error, if there was one.
    public private(set) var failure: MovieError?
    private let folder: Folder
    private let name: String
    private let format: RecordingFormat
    private var machine: RecordingMachine
    private var current: SegmentWriter?
    /// The previous file, until sound for it can no longer arrive.
    private var previous: SegmentWriter?
    private var segments: [RecordingResult.Segment] = []
    private var lastTime: Int64?
    /// The time of the frame that is being written.
    private var incomingTime: Int64 = 0
    private var refusedFrameCount = 0

    /// Creates a recorder. The first frame creates its first file.
    ///
    /// - Parameters:
    ///   - folder: The folder of the files.
    ///   - name: The beginning of their names. A recording of that name is replaced.
    /// - Throws: ``MovieError`` of code `invalidInput`.
    public init(
        to folder: Folder, name: String, format: RecordingFormat, limits: RecordingLimits = RecordingLimits()
    ) throws(MovieError) {
        if let problem = format.problem { throw MovieError(.invalidInput, "record", folder.path(of: name), problem) }
        (self.folder, self.name, self.format) = (folder, name, format)
        machine = RecordingMachine(limits)
    }

    /// Writes a frame, which must be later than the one before.
    ///
    /// - Returns: Whether it was accepted; false after the recording's ``end``.
    /// - Throws: ``MovieError``. If the frame cannot be stored, the recording continues. If the disk failed, it has ended.
    @discardableResult
    public func write(_ frame: RecordedFrame) throws(MovieError) -> Bool {
        let path = folder.path(of: name)
        // 2⁴⁸: a century in 1/90 000 s.
        guard (0..<1 << 48).contains(frame.presentationTime), frame.presentationTime > lastTime ?? -1 else {
            throw MovieError(.invalidInput, "record", path, "the time of frame \(frame.number) does not increase")
        }
        guard end == nil else {
            refusedFrameCount += 1
            return false
        }
        incomingTime = frame.presentationTime
        try carryOut(.frame(time: frame.presentationTime, byteCount: frame.jpeg.count)) { () throws(MovieError) in
            try current?.write(frame)
        }
        guard end == nil else {
            refusedFrameCount += 1
            return false
        }
        lastTime = frame.presentationTime
        return true
    }

    /// Writes sound. Missing sound is replaced by silence once it is a second late. Repeated sound, and sound that
    /// arrives later, is left out. Both are counted. Sound that arrives before the first frame is not kept.
    ///
    /// - Parameters:
    ///   - samples: Complete samples in the form of ``RecordingFormat/Sound``.
    ///   - sample: The number of the first one; 0 is at the recording's start.
    /// - Throws: ``MovieError`` if the disk failed. The recording has then ended.
    public func write(sound samples: [UInt8], at sample: Int64) throws(MovieError) {
        guard let sound = format.sound, end == nil, (0..<1 << 48).contains(sample) else { return }
        let size = 2 * sound.channelCount
        let time = time(ofSample: sample + Int64(samples.count / size), sound)
        try carryOut(.sound(until: time, byteCount: samples.count)) { () throws(MovieError) in
            guard let current else { return }
            // Samples before the start of the current file belong to the previous one.
            let early = Int(min(Int64(samples.count / size), max(0, current.firstSample - sample)))
            try previous?.write(sound: Array(samples.prefix(early * size)), at: sample)
            let rest = samples.dropFirst(early * size)
            guard rest.count >= size else { return }
            try closePrevious()
            try current.write(sound: Array(rest), at: sample + Int64(early))
        }
    }

    /// Returns the presentation time of a sample, or that of the frames if the sample's number cannot be right.
    private func time(ofSample sample: Int64, _ sound: RecordingFormat.Sound) -> Int64 {
        let (seconds, rest) = sample.quotientAndRemainder(dividingBy: Int64(max(sound.sampleRate, 1)))
        let time =
            seconds * MovieTime.unitsPerSecond + rest * MovieTime.unitsPerSecond / Int64(max(sound.sampleRate, 1))
        return time - incomingTime < SegmentWriter.longestGap ? time : incomingTime
    }

    /// Returns whether the file ends before this frame, by a limit of the recording or of its files. If so, sound up to
    /// the frame's time must be written before the frame.
    public func closesFile(before frame: RecordedFrame) -> Bool {
        var machine = machine
        return machine.handle(.frame(time: frame.presentationTime, byteCount: frame.jpeg.count)).contains(.close)
    }

    /// Records a text at a presentation time in the sidecar.
    public func mark(_ text: String, at time: Int64) {
        guard end == nil else { return }
        current?.write(mark: text, at: time)
    }

    /// The number of the file that is being written, from 1; 0 before the first frame.
    public var segmentNumber: Int { segments.count + (current == nil ? 0 : 1) }

    /// The number of files that are complete and can be finished while the recording continues.
    public var closedSegmentCount: Int { segments.count - (previous == nil ? 0 : 1) }

    /// Ends the recording and makes its files durable. Has no effect if it has ended.
    ///
    /// - Throws: ``MovieError`` if the disk failed. What was flushed before exists and can be finished.
    public func stop() throws(MovieError) -> RecordingResult {
        try carryOut(.stop) { () throws(MovieError) in }
        return result
    }

    /// The result so far.
    public var result: RecordingResult {
        RecordingResult(
            end: end ?? .stopped, segments: segments + [current].compactMap { $0.map(RecordingResult.Segment.init) },
            refusedFrameCount: refusedFrameCount)
    }

    private func carryOut(
        _ event: RecordingMachine.Event, _ write: () throws(MovieError) -> Void
    ) throws(MovieError) {
        do throws(MovieError) {
            for action in machine.handle(event) { try carryOut(action, write) }
        } catch {
            // A frame that is not a picture is left out. An error of a file ends the recording.
            guard error.code != .invalidInput else { throw error }
            failure = failure ?? error
            for action in machine.handle(.failure) { try carryOut(action, write) }
            throw error
        }
    }

    private func carryOut(
        _ action: RecordingMachine.Action, _ write: () throws(MovieError) -> Void
    ) throws(MovieError) {
        switch action {
        case .open(let number, let start):
            current = try SegmentWriter(number, of: name, in: folder, start: start, format)
        case .write: try write()
        case .flush:
            try closePrevious()
            try current?.fillSound(until: incomingTime)
            try current?.flush(before: incomingTime)
        case .flushSound:
            try closePrevious()
            try current?.flushSound()
        case .sync: try current?.sync()
        case .examineSpace:
            guard let free = try? folder.room().usableBytes else { return }
            for action in machine.handle(.space(free)) { try carryOut(action, write) }
        case .close: try close()
        case .abandon:
            retire(current)
            (current, previous) = (nil, nil)
        case .end(let reason): try finish(reason)
        }
    }

    /// Closes the current file. Sound of its last moments may still arrive, unless the recording ends.
    private func close() throws(MovieError) {
        try closePrevious()
        retire(current)
        (previous, current) = (current, nil)
    }

    private func finish(_ reason: RecordingEnd) throws(MovieError) {
        end = reason
        try closePrevious()
    }

    private func closePrevious() throws(MovieError) {
        guard let segment = previous else { return }
        previous = nil
        // Its last frame lasts until the next file's first one.
        try segment.close(before: current?.start)
    }

    private func retire(_ segment: SegmentWriter?) {
        if let segment { segments.append(RecordingResult.Segment(segment)) }
    }
}

extension RecordingResult.Segment {
    init(_ writer: SegmentWriter) {
        self.init(
            stem: writer.stem, start: writer.start, frameCount: writer.frameCount,
            silentSampleCount: writer.silentSampleCount, refusedSampleCount: writer.refusedSampleCount)
    }
}
