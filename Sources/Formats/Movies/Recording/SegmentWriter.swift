internal import CaptureModel
internal import FaultPoints
internal import ImageMetadata
internal import LibAV
internal import PosixSupport

/// One file of a recording while it is recorded: a fragmented movie and its sidecar.
final class SegmentWriter {
    /// The stem of its files' names.
    let stem: String
    /// The presentation time from which its times count.
    let start: Int64
    private(set) var frameCount = 0
    /// Samples of each channel that were inserted as silence, and that were left out.
    private(set) var silentSampleCount: Int64 = 0
    private(set) var refusedSampleCount: Int64 = 0
    /// Samples of each channel in the file.
    private var sampleCount: Int64 = 0
    /// The last frame and its time in this file, until the next frame arrives.
    private var waiting: (bytes: [UInt8], time: Int64)?
    /// The duration of the previous frame.
    private var lastDuration = MovieTime.unitsPerSecond / 30
    private let file: OpenFile
    private let muxer: MovieMuxer
    private let sidecar: FrameSidecar
    private let sound: RecordingFormat.Sound?

    init(_ number: Int, of name: String, in folder: Folder, start: Int64, _ format: RecordingFormat) throws(MovieError)
    {
        (stem, self.start, sound) = (RecordingNames.stem(name, segment: number), start, format.sound)
        try Self.replace(stem, in: folder)
        file = try MovieFile.open(RecordingNames.recording(stem), in: folder, for: .writing)
        let lines = try MovieFile.open(RecordingNames.sidecar(stem), in: folder, for: .writing)
        sidecar = FrameSidecar(lines, segment: number, start: start, format)
        let (file, streams) = (file, Self.streams(format))
        let options = MuxOptions(
            .quickTime, isFragmented: true, metadata: format.metadata, timecode: format.timecode(at: start)?.description
        )
        muxer = try MovieFile.library { () throws(LibAVError) in
            try MovieMuxer(to: file, streams: streams, options: options)
        }
        try flush(before: start)
        try MovieFile.posix { () throws(PosixError) in try folder.sync() }
    }

    /// Removes the finished movie of an earlier recording of this name, which would be taken for this one's after a crash.
    private static func replace(_ stem: String, in folder: Folder) throws(MovieError) {
        let movie = RecordingNames.movie(stem)
        try MovieFile.posix { () throws(PosixError) in
            guard try folder.entry(movie) != nil else { return }
            try folder.remove(movie)
            try folder.sync()
        }
    }

    func write(_ frame: RecordedFrame) throws(MovieError) {
        let time = frame.presentationTime - start
        let bytes: [UInt8]
        do throws(JPEGProblem) {
            bytes = try JPEGRewriter.completed(frame.jpeg)
        } catch {
            throw MovieError(
                .invalidInput, "record", file.path, "frame \(frame.number) is not a complete picture: \(error)")
        }
        try releaseFrame(before: time)
        sidecar.add(frame, at: time)
        waiting = (bytes, time)
        frameCount += 1
    }

    /// Writes the waiting frame. Its duration is known only from the next frame. A fragment must state it exactly,
    /// because readers shift the next fragment if this one overlaps it.
    private func releaseFrame(before time: Int64) throws(MovieError) {
        guard let (bytes, start) = waiting else { return }
        lastDuration = max(1, time - start)
        let packet = MediaPacket(stream: 0, presentationTime: start, duration: lastDuration, bytes: bytes)
        try MovieFile.library { () throws(LibAVError) in try muxer.write(packet) }
        waiting = nil
    }

    func write(mark text: String, at time: Int64) {
        sidecar.add(mark: text, at: time - start)
    }

    /// Ten minutes in 1/90 000 s. A larger gap means a wrong sample number.
    static let longestGap = 600 * MovieTime.unitsPerSecond

    /// The number of the sample at this file's start, counted from the recording's start.
    var firstSample: Int64 { samples(in: start) }

    /// Writes sound that continues the sound in the file, because a container keeps no gaps.
    ///
    /// - Parameter sample: The number of the first sample, counted from the recording's start.
    func write(sound bytes: [UInt8], at sample: Int64) throws(MovieError) {
        guard let sound, !bytes.isEmpty else { return }
        let size = 2 * sound.channelCount
        let position = sample - firstSample
        let count = bytes.count / size
        guard position - sampleCount < Self.longestGap / MovieTime.unitsPerSecond * Int64(sound.sampleRate) else {
            refusedSampleCount += Int64(count)
            return
        }
        try fillSound(untilSample: position)
        let late = Int(min(Int64(count), max(0, sampleCount - position)))
        refusedSampleCount += Int64(late)
        try write(samples: Array(bytes[late * size..<count * size]))
    }

    /// Inserts silence if sound is missing for more than a second.
    ///
    /// - Parameter time: The presentation time that the pictures have reached.
    func fillSound(until time: Int64) throws(MovieError) {
        guard sound != nil else { return }
        try fillSound(untilSample: samples(in: time - MovieTime.unitsPerSecond) - firstSample)
    }

    private func fillSound(untilSample end: Int64) throws(MovieError) {
        guard let sound else { return }
        while sampleCount < end {
            let count = min(60 * Int64(sound.sampleRate), end - sampleCount)
            silentSampleCount += count
            try write(samples: [UInt8](repeating: 0, count: Int(count) * 2 * sound.channelCount))
            // Ends the fragment, because it is in memory until then.
            if sampleCount < end { try MovieFile.library { () throws(LibAVError) in try muxer.flush() } }
        }
    }

    private func write(samples: [UInt8]) throws(MovieError) {
        guard let sound, !samples.isEmpty else { return }
        let count = Int64(samples.count / (2 * sound.channelCount))
        let packet = MediaPacket(stream: 1, presentationTime: sampleCount, duration: count, bytes: samples)
        try MovieFile.library { () throws(LibAVError) in try muxer.write(packet) }
        sampleCount += count
    }

    /// Returns the number of samples from the recording's start to a presentation time.
    private func samples(in time: Int64) -> Int64 {
        let rate = Int64(sound?.sampleRate ?? 0)
        let (seconds, rest) = time.quotientAndRemainder(dividingBy: MovieTime.unitsPerSecond)
        return seconds * rate + rest * rate / MovieTime.unitsPerSecond
    }

    /// Ends the fragment, after writing its lines.
    /// - Parameter time: The presentation time of the next frame.
    func flush(before time: Int64) throws(MovieError) {
        try releaseFrame(before: time - start)
        try flushSound()
    }

    /// Ends the fragment before the time of the next frame is known. The last frame waits for the next fragment.
    func flushSound() throws(MovieError) {
        try MovieFile.posix { () throws(PosixError) in try sidecar.flush() }
        RecordingFault.linesWritten.reached()
        try MovieFile.library { () throws(LibAVError) in try muxer.flush() }
        RecordingFault.fragmentWritten.reached()
    }

    func sync() throws(MovieError) {
        try MovieFile.posix { () throws(PosixError) in
            try sidecar.sync()
            try file.syncData()
        }
        RecordingFault.fragmentsDurable.reached()
    }

    /// Ends the file and makes it durable.
    /// - Parameter time: The presentation time of the next file's first frame. If nil, the last frame has the duration of the one before.
    func close(before time: Int64?) throws(MovieError) {
        if let waiting { try releaseFrame(before: time.map { $0 - start } ?? waiting.time + lastDuration) }
        try MovieFile.posix { () throws(PosixError) in try sidecar.flush() }
        try MovieFile.library { () throws(LibAVError) in try muxer.finish() }
        try sync()
        RecordingFault.fileEnded.reached()
    }

    private static func streams(_ format: RecordingFormat) -> [MediaStream] {
        // The time code's track uses the same rate.
        let rate = format.frameRate.timecodeRate
        let pictures = MediaStream(
            codec: .motionJPEG, format: .video(width: format.width, height: format.height),
            timeBase: MediaRational(1, Int32(MovieTime.unitsPerSecond)),
            averageFrameRate: MediaRational(
                Int32(clamping: rate.numerator), Int32(clamping: rate.denominator)),
            displayMatrix: format.orientation.displayMatrix(width: format.width, height: format.height),
            metadata: ["reel_name": format.reelName, "handler_name": format.reelName])
        let sound = format.sound.map { sound in
            MediaStream(
                codec: .pcm16, format: .audio(sampleRate: sound.sampleRate, channelCount: sound.channelCount),
                timeBase: MediaRational(1, Int32(clamping: sound.sampleRate)))
        }
        return [pictures] + [sound].compactMap(\.self)
    }
}

extension RecordingFormat {
    /// The metadata of the movie's header.
    fileprivate var metadata: [String: String] {
        var texts = ["creation_time": creationDate.utcText]
        if let title { texts["title"] = title }
        return texts
    }
}
