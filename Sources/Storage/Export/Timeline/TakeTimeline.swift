internal import CaptureModel

/// A take for editing programs: each camera's movie in its place on one time line, which begins at T.
struct TakeTimeline {
    /// A camera's movie.
    struct Angle {
        let device: DeviceID
        /// Pixels, upright.
        let size: PixelSize
        /// The rate of the movie's frames, which may be lower than that of the camera's format.
        let rate: FrameRate
        /// Whether the movie's time code skips numbers.
        let isDropFrame: Bool
        /// The files of the movie in order.
        let clips: [Clip]

        var frameDuration: RationalTime { RationalTime(rate.denominator, over: rate.numerator) }

        /// The own time of the first file's beginning, from which the time that an editor shows at T is derived.
        var start: RationalTime { clips.first?.start ?? .zero }

        /// The end of the last file, from T.
        var end: RationalTime { clips.last?.end ?? .zero }

        var sound: (sampleRate: Int, channelCount: Int)? { clips.lazy.compactMap(\.sound).first }

        /// The clips, each with the length of the gap before it.
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
        /// The file's own time at its beginning: its time code in seconds, as frames count them.
        let start: RationalTime
        /// The time from T to the file's beginning.
        let offset: RationalTime
        /// The times from T to the first frame, and to the end of the last frame.
        let first: RationalTime
        var end: RationalTime
        /// Sample rate in hertz, and number of channels; nil without sound.
        let sound: (sampleRate: Int, channelCount: Int)?

        /// The time from the first frame to the end of the last one.
        var duration: RationalTime { end + -first }

        /// The first frame in the file's own time, and the length of the file.
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

    /// - Returns: nil if there is no movie.
    init?(_ shot: Shot, _ annotation: ShotAnnotation, angles: [Angle]) {
        guard !angles.isEmpty else { return nil }
        take = shot.id
        name = annotation.title.isEmpty ? shot.id.description : annotation.title
        note = annotation.note
        self.angles = angles
        marks = (shot.take?.marks ?? []).map { mark in
            // The longest take is one day.
            let offset = min(max((mark.time - shot.time).nanoseconds, 0), 86_400_000_000_000)
            return Mark(time: RationalTime(offset, over: 1_000_000_000), text: mark.text)
        }
    }

    /// The time from T to the end of the longest movie.
    var duration: RationalTime { angles.map(\.end).max() ?? .zero }
}

extension TakeTimeline.Angle {
    /// A file in the export, with the content of its sidecar.
    typealias Movie = (path: String, outline: SidecarOutline)

    /// - Returns: nil if the manifest does not describe the movie, or there is none.
    init?(_ capture: Capture, _ movies: [Movie]) {
        guard let resolved = capture.resolved, !movies.isEmpty else { return nil }
        device = capture.device.id
        let isTurned = resolved.orientation == .degrees90 || resolved.orientation == .degrees270
        size = PixelSize(
            width: isTurned ? resolved.height : resolved.width, height: isTurned ? resolved.width : resolved.height)
        let stated = resolved.streamFormat.frameInterval
        let measured = capture.movieInterval ?? stated
        let nominal = FrameRate(interval: stated)
        rate = measured == stated ? nominal : FrameRate(measured: measured)
        let ordered = movies.sorted { $0.outline.segmentStart < $1.outline.segmentStart }
        isDropFrame = (ordered.first?.outline.countingRate ?? nominal).isDropFrame
        clips = Self.joined(ordered, nominal)
    }

    /// Returns the clips of the files. A frame lasts until the next one, even if that is in the next file.
    /// - Parameter rate: The rate at which time codes count, if a file does not say it.
    private static func joined(_ movies: [Movie], _ rate: FrameRate) -> [TakeTimeline.Clip] {
        var clips = movies.map { TakeTimeline.Clip($0, rate) }
        for index in clips.indices.dropFirst() {
            let isNext = movies[index].outline.segment == movies[index - 1].outline.segment &+ 1
            // No recorder writes files that overlap.
            if isNext || clips[index].first < clips[index - 1].end {
                clips[index - 1].end = max(clips[index].first, clips[index - 1].first)
            }
        }
        return clips
    }
}

extension TakeTimeline.Clip {
    fileprivate init(_ movie: TakeTimeline.Angle.Movie, _ rate: FrameRate) {
        let outline = movie.outline
        let rate = outline.countingRate ?? rate
        let counted = rate.timecodeRate
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
    fileprivate var countingRate: FrameRate? { header.frameRate.flatMap { FrameRate($0) } }
}

/// Seconds as an exact, reduced fraction, as FCPXML writes times.
///
/// The times of a take cannot overflow: below 2³⁵ units of 1/90 000 s, and frames of a day at no more than 100 000 per second.
struct RationalTime: Hashable, Comparable, CustomStringConvertible {
    let numerator: Int64
    /// Positive.
    let denominator: Int64

    static let zero = RationalTime(0, over: 1)

    init(_ numerator: Int64, over denominator: Int64) {
        let divisor = max(1, Self.commonDivisor(numerator.magnitude, denominator.magnitude))
        self.numerator = numerator / Int64(divisor)
        self.denominator = denominator / Int64(divisor)
    }

    static func + (left: Self, right: Self) -> Self {
        let divisor = Int64(commonDivisor(left.denominator.magnitude, right.denominator.magnitude))
        let (leftFactor, rightFactor) = (right.denominator / divisor, left.denominator / divisor)
        return Self(
            left.numerator * leftFactor + right.numerator * rightFactor, over: left.denominator * leftFactor)
    }

    static prefix func - (time: Self) -> Self { Self(-time.numerator, over: time.denominator) }

    static func < (left: Self, right: Self) -> Bool { (left + -right).numerator < 0 }

    /// `842/90000s`, `3s`
    var description: String { denominator == 1 ? "\(numerator)s" : "\(numerator)/\(denominator)s" }

    private static func commonDivisor(_ first: UInt64, _ second: UInt64) -> UInt64 {
        second == 0 ? first : commonDivisor(second, first % second)
    }
}
