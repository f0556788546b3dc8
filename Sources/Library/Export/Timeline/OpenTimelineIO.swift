internal import CaptureModel

/// A take as OpenTimelineIO (`.otio`): a track for each camera's pictures and one for its sound, side by side, since the format
/// has no multicam.
///
/// Times are frames of each camera, with fractions where a movie's first frame lies between two; the exact ones are in the
/// clips' metadata.
struct OpenTimelineIO {
    private let timeline: TakeTimeline

    init(_ timeline: TakeTimeline) {
        self.timeline = timeline
    }

    func bytes() throws(CaptureProblem) -> [UInt8] {
        try LibraryJSON.encoded(document, "the timeline of take \(timeline.take)")
    }

    private var document: OTIOTimeline {
        let first = timeline.angles[0]
        let tracks =
            timeline.angles.map { track($0, "Video") }
            + timeline.angles.filter { $0.sound != nil }.map { track($0, "Audio") }
        let marks = timeline.marks.map { mark in
            OTIOMarker(
                name: mark.text,
                marked_range: OTIOTimeRange(start_time: first.time(mark.time), duration: first.time(.zero)))
        }
        return OTIOTimeline(
            name: timeline.name, global_start_time: first.time(first.start),
            metadata: .init(caprig: .init(take: timeline.take.description, note: timeline.note)),
            tracks: OTIOStack(children: tracks, markers: marks))
    }

    private func track(_ angle: TakeTimeline.Angle, _ kind: String) -> OTIOTrack {
        let gap = OTIOItem(
            OTIO_SCHEMA: "Gap.1", name: "",
            source_range: OTIOTimeRange(start_time: angle.time(.zero), duration: angle.time(angle.first)))
        let clip = OTIOItem(
            OTIO_SCHEMA: "Clip.1", name: angle.device.description,
            source_range: OTIOTimeRange(
                start_time: angle.time(angle.start + angle.first), duration: angle.time(angle.duration)),
            media_reference: OTIOReference(
                target_url: angle.path,
                available_range: OTIOTimeRange(
                    start_time: angle.time(angle.start), duration: angle.time(angle.end))),
            metadata: .init(
                caprig: .init(
                    device: angle.device.description, firstFrame: "\(angle.first)", duration: "\(angle.duration)")))
        return OTIOTrack(
            name: angle.device.description, kind: kind, children: (angle.first > .zero ? [gap] : []) + [clip])
    }
}

extension TakeTimeline.Angle {
    /// A time in this camera's frames: exact where it is a whole number of them.
    fileprivate func time(_ time: RationalTime) -> OTIOTime {
        let (whole, rest) = (Int128(time.numerator) * Int128(rate.numerator))
            .quotientAndRemainder(dividingBy: Int128(time.denominator) * Int128(rate.denominator))
        let fraction = Double(rest) / (Double(time.denominator) * Double(rate.denominator))
        return OTIOTime(
            value: Double(whole) + fraction, rate: Double(rate.numerator) / Double(rate.denominator))
    }
}
