internal import FaultPoints
internal import Glibc
internal import LibAV
public import PosixSupport

/// Makes plain movies, as every program wants them, of the fragmented ones that recordings and crashes leave.
public enum RecordingFinisher {
    /// A movie that has been finished.
    public struct Finished: Hashable, Sendable {
        /// The stem of its files' names: `left-001`.
        public var stem: String
        /// Frames in the movie, and lines about them in the sidecar.
        public var frameCount: Int
        /// Length of the movie in bytes.
        public var byteCount: Int64
    }

    /// The name of a recording's movie once it is finished.
    public static func movieName(_ stem: String) -> String { RecordingNames.movie(stem) }

    /// The name of its movie until then.
    public static func recordingName(_ stem: String) -> String { RecordingNames.recording(stem) }

    /// The name of its sidecar.
    public static func sidecarName(_ stem: String) -> String { RecordingNames.sidecar(stem) }

    /// The stem of a file of the recording that ``MovieRecorder`` has made under this name, by its number from 1 on.
    public static func stem(_ name: String, segment: Int) -> String { RecordingNames.stem(name, segment: segment) }

    /// What became of a movie that a crash left.
    public enum Outcome: Hashable, Sendable {
        case finished(Finished)
        /// It ended before its first fragment was whole: it is removed.
        case empty(stem: String)
        /// No crash leaves it so: it cannot be read, or tells otherwise than its sidecar; it is as it was, for people to look at.
        case damaged(stem: String, MovieError)
        /// The disk failed; the recording is as it was.
        case failed(stem: String, MovieError)
    }

    /// Copies one recording's packets into a plain movie, up to the last frame that its sidecar has a line about, cuts the
    /// sidecar to the frames that there are, gives the movie its name in one step, and removes the recording. Repeating it
    /// after a crash at any point gives the same.
    ///
    /// Blocks for as long as the movie takes to be read and written.
    /// - Parameter stem: As in ``RecordingResult/Segment/stem``.
    /// - Throws: ``MovieError``; the recording is then as it was.
    public static func finish(_ stem: String, in folder: Folder) throws(MovieError) -> Finished {
        var frames = 0
        let count = try MovieFile.publish(in: folder, as: RecordingNames.movie(stem)) {
            (temporary) throws(MovieError) in
            let source = try MovieFile.open(RecordingNames.recording(stem), in: folder, for: .reading)
            var listed = ListedFrames(try listedTimes(stem, in: folder))
            if try !QuickTimeAtoms.isCutOffBeforeIndex(source) {
                let target = try MovieFile.open(temporary, in: folder, for: .writing)
                try MovieFile.library { () throws(LibAVError) in try copy(source, to: target, &listed) }
            }
            if let damage = listed.damage { throw MovieError(.malformed, "finish", source.path, damage) }
            frames = listed.count
            guard frames > 0 else { throw MovieError(.empty, "finish", source.path, "it holds no whole frame") }
            RecordingFault.copied.reached()
            try cutSidecar(stem, in: folder, frames: frames)
            RecordingFault.sidecarCut.reached()
        }
        RecordingFault.finished.reached()
        try removeRecording(stem, in: folder)
        RecordingFault.removed.reached()
        return Finished(stem: stem, frameCount: frames, byteCount: count)
    }

    /// Finishes what a crash, or a disk that refused something, left of one recording. Where its movie is in place, which is
    /// durable then, the recording is removed.
    /// - Returns: nil where there is nothing to finish.
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
        // What the time code's track says is what it was begun with.
        let clock = demuxer.streams.first { !$0.isMedia && $0.metadata["timecode"] != nil }
        let options = MovieOptions(
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
                stream == 0 ? listed.takes(unit.units(time, of: pictures)) : !listed.isEnded
            })
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
