internal import CaptureModel
internal import ShotDocuments

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
        try StoredJSON.encoded(document, "the timeline of take \(timeline.take)")
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
        let children = angle.spacedClips.flatMap { gap, clip in
            (gap > .zero ? [self.gap(gap, angle)] : []) + [item(clip, angle)]
        }
        return OTIOTrack(name: angle.device.description, kind: kind, children: children)
    }

    private func gap(_ duration: RationalTime, _ angle: TakeTimeline.Angle) -> OTIOItem {
        OTIOItem(
            OTIO_SCHEMA: "Gap.1", name: "",
            source_range: OTIOTimeRange(start_time: angle.time(.zero), duration: angle.time(duration)))
    }

    private func item(_ clip: TakeTimeline.Clip, _ angle: TakeTimeline.Angle) -> OTIOItem {
        OTIOItem(
            OTIO_SCHEMA: "Clip.1", name: angle.device.description,
            source_range: OTIOTimeRange(
                start_time: angle.time(clip.firstInFile), duration: angle.time(clip.duration)),
            media_reference: OTIOReference(
                target_url: clip.path,
                available_range: OTIOTimeRange(
                    start_time: angle.time(clip.start), duration: angle.time(clip.length))),
            metadata: .init(
                caprig: .init(
                    device: angle.device.description, firstFrame: "\(clip.first)", duration: "\(clip.duration)")))
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
