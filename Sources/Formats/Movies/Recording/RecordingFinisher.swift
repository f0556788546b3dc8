public import FaultPoints
internal import Glibc
internal import LibAV
public import PosixSupport

/// Converts the fragmented movies of recordings and crashes to plain movies, which all programs can read.
public enum RecordingFinisher {
    /// A finished movie.
    public struct Finished: Hashable, Sendable {
        /// The stem of its files' names: `left-001`.
        public var stem: String
        /// Frames in the movie, and frames' lines in the sidecar.
        public var frameCount: Int
        /// Length of the movie in bytes.
        public var byteCount: Int64
    }

    /// The name of a recording's movie once it is finished.
    public static func movieName(_ stem: String) -> String { RecordingNames.movie(stem) }

    /// The name of its movie before that.
    public static func recordingName(_ stem: String) -> String { RecordingNames.recording(stem) }

    /// The name of its sidecar.
    public static func sidecarName(_ stem: String) -> String { RecordingNames.sidecar(stem) }

    /// The stem of a file of a recording that ``MovieRecorder`` has made under this name, by its number from 1.
    public static func stem(_ name: String, segment: Int) -> String { RecordingNames.stem(name, segment: segment) }

    /// The result for a movie that a crash left.
    public enum Outcome: Hashable, Sendable {
        case finished(Finished)
        /// It ended before its first fragment was complete, and was removed.
        case empty(stem: String)
        /// It is unreadable or contradicts its sidecar, which no crash explains. It is unchanged, for inspection by people.
        case damaged(stem: String, MovieError)
        /// The disk failed. The recording is unchanged.
        case failed(stem: String, MovieError)
    }

    /// Copies one recording's packets into a plain movie, up to the last frame that has a line in its sidecar.
    /// Truncates the sidecar to these frames, publishes the movie under its name in one step, and removes the
    /// recording. A repetition after a crash at any point has the same result.
    ///
    /// Blocks for the time of reading and writing the movie.
    /// - Parameter stem: As in ``RecordingResult/Segment/stem``.
    /// - Throws: ``MovieError``. The recording is then unchanged.
    public static func finish(_ stem: String, in folder: Folder) throws(MovieError) -> Finished {
        var frames = 0
        let count = try MovieFile.publish(in: folder, as: RecordingNames.movie(stem)) {
            (temporary) throws(MovieError) in
            let source = try MovieFile.open(RecordingNames.recording(stem), in: folder, for: .reading)
            var listed = ListedFrames(
                try listedTimes(stem, in: folder), end: try startOfNext(stem, in: folder))
            if try !QuickTimeAtoms.isCutOffBeforeIndex(source) {
                let target = try MovieFile.open(temporary, in: folder, for: .writing)
                try MovieFile.library { () throws(LibAVError) in try copy(source, to: target, &listed) }
            }
            if let damage = listed.damage { throw MovieError(.malformed, "finish", source.path, damage) }
            frames = listed.count
            guard frames > 0 else { throw MovieError(.empty, "finish", source.path, "it has no complete frame") }
            RecordingFault.copied.reached()
            try cutSidecar(stem, in: folder, frames: frames)
            RecordingFault.sidecarCut.reached()
        }
        RecordingFault.finished.reached()
        try removeRecording(stem, in: folder)
        RecordingFault.removed.reached()
        return Finished(stem: stem, frameCount: frames, byteCount: count)
    }

    /// Finishes what a crash or a disk error left of one recording. If the finished movie exists, which means that it
    /// is durable, removes the recording.
    /// - Returns: nil if there is nothing to finish.
    public static func recover(_ stem: String, in folder: Folder) -> Outcome? {
        do throws(MovieError) {
            let (isThere, isFinished) = try MovieFile.posix { () throws(PosixError) in
                (
                    try folder.entry(RecordingNames.recording(stem)) != nil,
                    try folder.entry(RecordingNames.movie(stem)) != nil
                )
            }
            guard isThere else { return nil }
            guard isFinished else { return .finished(try finish(stem, in: folder)) }
            try removeRecording(stem, in: folder)
            return nil
        } catch {
            switch error.code {
            case .inputOutput: return .failed(stem: stem, error)
            case .empty: return emptied(stem, in: folder)
            case .invalidInput, .codec, .encoder, .cancelled, .malformed: return .damaged(stem: stem, error)
            }
        }
    }

    private static func copy(
        _ source: OpenFile, to target: OpenFile, _ listed: inout ListedFrames
    ) throws(LibAVError) {
        let demuxer = try MovieDemuxer(from: source)
        // The time code's track states the values with which it was begun.
        let clock = demuxer.streams.first { !$0.isMedia && $0.metadata["timecode"] != nil }
        let options = MuxOptions(
            .quickTime, metadata: demuxer.metadata.filter { ["creation_time", "title"].contains($0.key) },
            timecode: clock?.metadata["timecode"])
        let unit = MediaRational(1, Int32(MovieTime.unitsPerSecond))
        let pictures = demuxer.streams.first(where: \.isMedia)?.timeBase ?? unit
        try MovieRemuxer.copy(
            from: demuxer, to: target, options: options,
            adjust: { stream in
                guard stream.isVideo else { return }
                stream.averageFrameRate = clock?.averageFrameRate ?? stream.averageFrameRate
                stream.metadata["reel_name"] = clock?.metadata["reel_name"] ?? stream.metadata["handler_name"]
            },
            isKept: { stream, time in
                stream == 0 ? listed.accepts(unit.units(time, of: pictures)) : !listed.isEnded
            },
            duration: { stream, _ in stream == 0 ? pictures.units(listed.lastDuration, of: unit) : nil })
    }

    /// Returns where the recording's next file begins, in this file's own time; nil if there is none.
    private static func startOfNext(_ stem: String, in folder: Folder) throws(MovieError) -> Int64? {
        guard let next = RecordingNames.next(stem) else { return nil }
        return try MovieFile.posix { () throws(PosixError) in
            func start(_ stem: String) throws(PosixError) -> Int64? {
                let name = RecordingNames.sidecar(stem)
                return try folder.entry(name) == nil ? nil : FrameSidecar.start(folder.open(name, for: .reading))
            }
            guard let next = try start(next), let own = try start(stem), next > own else { return nil }
            return next - own
        }
    }

    private static func listedTimes(_ stem: String, in folder: Folder) throws(MovieError) -> [Int64] {
        try MovieFile.posix { () throws(PosixError) in
            let name = RecordingNames.sidecar(stem)
            return try folder.entry(name) == nil ? [] : FrameSidecar.times(folder.open(name, for: .reading))
        }
    }

    private static func cutSidecar(_ stem: String, in folder: Folder, frames: Int) throws(MovieError) {
        try MovieFile.posix { () throws(PosixError) in
            try FrameSidecar.cut(folder.open(RecordingNames.sidecar(stem), for: .updating), frames: frames)
        }
    }

    private static func removeRecording(_ stem: String, in folder: Folder) throws(MovieError) {
        try MovieFile.posix { () throws(PosixError) in
            try folder.remove(RecordingNames.recording(stem))
            try folder.sync()
        }
    }

    private static func emptied(_ stem: String, in folder: Folder) -> Outcome {
        do throws(MovieError) {
            try MovieFile.posix { () throws(PosixError) in try folder.remove(RecordingNames.sidecar(stem)) }
            try removeRecording(stem, in: folder)
            return .empty(stem: stem)
        } catch {
            return .failed(stem: stem, error)
        }
    }
}

/// Points at which data of a recording has just reached the disk or the kernel.
public enum RecordingFault: String, ThreadFaultPoint {
    /// The lines of a fragment were written; its frames have not reached the kernel yet.
    case linesWritten = "recording.sidecar.written"
    case fragmentWritten = "recording.fragment.written"
    /// Sidecar and movie are durable as far as they were written.
    case fragmentsDurable = "recording.fragment.durable"
    /// All frames of a file are durable. The file is not finished.
    case fileEnded = "recording.file.ended"
    /// The packets are in the plain movie, which has its temporary name.
    case copied = "recording.finish.copied"
    case sidecarCut = "recording.finish.cut"
    /// The plain movie is durable under its name. The recording still exists.
    case finished = "recording.finish.durable"
    /// The recording is removed.
    case removed = "recording.finish.removed"
}

/// Points at which the work of an encoder waits.
public enum EncoderFault: String, TaskFaultPoint {
    /// The program is about to be started.
    case starting = "encoder.wait.start"
    /// The program has ended. Its output is not durable.
    case ended = "encoder.wait.ended"
}

/// Names of a recording's files in its folder.
enum RecordingNames {
    private static let unfinished = ".recording.mov"

    /// The stem of a file's names: `left-001`.
    static func stem(_ name: String, segment: Int) -> String {
        let digits = String(segment)
        return "\(name)-\(String(repeating: "0", count: max(0, 3 - digits.count)))\(digits)"
    }

    /// The stem of the next file of the same recording.
    static func next(_ stem: String) -> String? {
        guard let dash = stem.lastIndex(of: "-"), let number = Int(stem[stem.index(after: dash)...]) else { return nil }
        return self.stem(String(stem[..<dash]), segment: number + 1)
    }

    /// The fragmented movie, while it is recorded and until it is finished.
    static func recording(_ stem: String) -> String { stem + unfinished }

    /// The finished movie.
    static func movie(_ stem: String) -> String { stem + ".mov" }

    /// The sidecar, with a line about each frame.
    static func sidecar(_ stem: String) -> String { stem + ".frames.jsonl" }
}
