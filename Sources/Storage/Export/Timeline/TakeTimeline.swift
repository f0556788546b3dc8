internal import CaptureModel

/// A take as editing programs have it: each camera's movie in its place on one time line, which begins at T.
struct TakeTimeline {
    /// A camera's movie.
    struct Angle {
        let device: DeviceID
        /// Pixels, upright.
        let size: PixelSize
        let rate: FrameRate
        /// Its files, one after the other: one, where it was recorded into one.
        let clips: [Clip]

        var frameDuration: RationalTime { RationalTime(rate.denominator, over: rate.numerator) }

        /// Of the first file, from which what an editor shows at T is told.
        var start: RationalTime { clips.first?.start ?? .zero }

        /// Where the last file ends.
        var end: RationalTime { clips.last?.end ?? .zero }

        var sound: (sampleRate: Int, channelCount: Int)? { clips.lazy.compactMap(\.sound).first }

        /// The clips, each with how much is empty before it.
        var spacedClips: [(gap: RationalTime, clip: Clip)] {
            var position = RationalTime.zero
            return clips.map { clip in
                defer { position = clip.end }
                return (clip.first + -position, clip)
            }
        }
    }

    /// A file of a movie.
    struct Clip {
        /// Path inside the export.
        let path: String
        /// The file's own time at its beginning: its time code as seconds, as frames count them.
        let start: RationalTime
        /// How far that is from T.
        let offset: RationalTime
        /// From T until the first frame is shown, and until the last one no longer is.
        let first: RationalTime
        var end: RationalTime
        /// Hertz, and channels; nil without sound.
        let sound: (sampleRate: Int, channelCount: Int)?

        /// From the first frame to the end of the last one.
        var duration: RationalTime { end + -first }

        /// The first frame, and the end, in the file's own time.
        var firstInFile: RationalTime { start + first + -offset }
        var length: RationalTime { end + -offset }
    }

    /// A named instant.
    struct Mark {
        let time: RationalTime
        let text: String
    }

    let take: ShotID
    /// The take's title, or its id.
    let name: String
    let note: String
    let angles: [Angle]
    let marks: [Mark]

    /// - Returns: nil where there is no movie.
    init?(_ shot: Shot, _ annotation: ShotAnnotation, angles: [Angle]) {
        guard !angles.isEmpty else { return nil }
        take = shot.id
        name = annotation.title.isEmpty ? shot.id.description : annotation.title
        note = annotation.note
        self.angles = angles
        marks = (shot.take?.marks ?? []).map { mark in
            // A day is the longest take.
            let offset = min(max((mark.time - shot.time).nanoseconds, 0), 86_400_000_000_000)
            return Mark(time: RationalTime(offset, over: 1_000_000_000), text: mark.text)
        }
    }

    /// To where the longest movie goes.
    var duration: RationalTime { angles.map(\.end).max() ?? .zero }
}

extension TakeTimeline.Angle {
    /// A file in the export, with what its sidecar says.
    typealias Movie = (path: String, outline: SidecarOutline)

    /// - Returns: nil where the manifest does not say what the movie is, or there is none.
    init?(_ capture: Capture, _ movies: [Movie]) {
        guard let resolved = capture.resolved, !movies.isEmpty else { return nil }
        device = capture.device.id
        let isTurned = resolved.orientation == .degrees90 || resolved.orientation == .degrees270
        size = PixelSize(
            width: isTurned ? resolved.height : resolved.width, height: isTurned ? resolved.width : resolved.height)
        let rate = FrameRate(interval: resolved.streamFormat.frameInterval)
        self.rate = rate
        clips = Self.joined(movies.sorted { $0.outline.segmentStart < $1.outline.segmentStart }, rate)
    }

    /// A frame is shown until the next one, also where that is in the next file.
    private static func joined(_ movies: [Movie], _ rate: FrameRate) -> [TakeTimeline.Clip] {
        var clips = movies.map { TakeTimeline.Clip($0, rate) }
        for index in clips.indices.dropFirst() {
            let isNext = movies[index].outline.segment == movies[index - 1].outline.segment &+ 1
            // Files that overlap are no recorder's.
            if isNext || clips[index].first < clips[index - 1].end {
                clips[index - 1].end = max(clips[index].first, clips[index - 1].first)
            }
        }
        return clips
    }
}

extension TakeTimeline.Clip {
    fileprivate init(_ movie: TakeTimeline.Angle.Movie, _ rate: FrameRate) {
        let (outline, counted) = (movie.outline, rate.timecodeRate)
        let timecode = outline.header.timecode.flatMap { SMPTETimecode($0, rate: rate) }
        path = movie.path
        start = RationalTime((timecode?.frame ?? 0) * counted.denominator, over: counted.numerator)
        offset = RationalTime(outline.segmentStart, over: outline.header.timeScale)
        first = RationalTime(outline.segmentStart + outline.first, over: outline.header.timeScale)
        end = RationalTime(outline.segmentStart + outline.end, over: outline.header.timeScale)
        sound = outline.header.sound
    }
}

extension SidecarOutline {
    fileprivate var segment: Int { header.segment ?? 1 }
    fileprivate var segmentStart: Int64 { header.segmentStart ?? 0 }
}
