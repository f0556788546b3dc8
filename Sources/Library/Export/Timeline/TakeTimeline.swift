internal import CaptureModel

/// A take as editing programs have it: each camera's movie in its place on one time line, which begins at T.
struct TakeTimeline {
    /// A camera's movie.
    struct Angle {
        let device: DeviceID
        /// Path inside the export.
        let path: String
        /// Pixels, upright.
        let size: PixelSize
        let rate: FrameRate
        /// Of T, where the movie has one.
        let timecode: SMPTETimecode?
        /// From T until the first frame is shown, and until the last one no longer is.
        let first: RationalTime
        let end: RationalTime
        /// Hertz, and channels; nil without sound.
        let sound: (sampleRate: Int, channelCount: Int)?

        var frameDuration: RationalTime { RationalTime(rate.denominator, over: rate.numerator) }

        /// The time code of T as seconds, as frames count them: where the movie's own time begins.
        var start: RationalTime {
            let counted = rate.timecodeRate
            return RationalTime((timecode?.frame ?? 0) * counted.denominator, over: counted.numerator)
        }

        /// From the first frame to the end of the last one.
        var duration: RationalTime { end + -first }
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
    /// - Returns: nil where the manifest does not say what the movie is.
    init?(_ capture: Capture, path: String, _ outline: SidecarOutline) {
        guard let resolved = capture.resolved else { return nil }
        device = capture.device.id
        self.path = path
        let isTurned = resolved.orientation == .degrees90 || resolved.orientation == .degrees270
        size = PixelSize(
            width: isTurned ? resolved.height : resolved.width, height: isTurned ? resolved.width : resolved.height)
        rate = FrameRate(interval: resolved.streamFormat.frameInterval)
        timecode = outline.header.timecode.flatMap { [rate] in SMPTETimecode($0, rate: rate) }
        first = RationalTime(outline.first, over: outline.header.timeScale)
        end = RationalTime(outline.end, over: outline.header.timeScale)
        sound = outline.header.sound
    }
}
