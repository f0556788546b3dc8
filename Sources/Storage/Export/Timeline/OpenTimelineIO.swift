internal import CaptureModel
internal import ShotDocuments

/// A take as OpenTimelineIO (`.otio`): parallel tracks, one for each camera's pictures and one for its sound, since the format has no
/// multicam.
///
/// Times are in frames of each camera, with fractions if a movie's first frame is between two frames. The clips' metadata contains the
/// exact times.
struct OpenTimelineIO {
    private let timeline: TakeTimeline

    init(_ timeline: TakeTimeline) {
        self.timeline = timeline
    }

    func bytes() throws(DocumentError) -> [UInt8] {
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
    /// Converts a time to this camera's frames. Exact if it is a whole number of frames.
    fileprivate func time(_ time: RationalTime) -> OTIOTime {
        let (whole, rest) = (Int128(time.numerator) * Int128(rate.numerator))
            .quotientAndRemainder(dividingBy: Int128(time.denominator) * Int128(rate.denominator))
        let fraction = Double(rest) / (Double(time.denominator) * Double(rate.denominator))
        return OTIOTime(
            value: Double(whole) + fraction, rate: Double(rate.numerator) / Double(rate.denominator))
    }
}

/// The parts of OpenTimelineIO's schemata that are written, under their names. Each has the oldest version that contains all of them.
struct OTIOTime: Encodable {
    let OTIO_SCHEMA = "RationalTime.1"
    var value: Double
    var rate: Double
}

struct OTIOTimeRange: Encodable {
    let OTIO_SCHEMA = "TimeRange.1"
    var start_time: OTIOTime
    var duration: OTIOTime
}

struct OTIOReference: Encodable {
    let OTIO_SCHEMA = "ExternalReference.1"
    var target_url: String
    var available_range: OTIOTimeRange
}

struct OTIOMarker: Encodable {
    let OTIO_SCHEMA = "Marker.2"
    var name: String
    var color = "RED"
    var marked_range: OTIOTimeRange
}

/// A gap or a clip.
struct OTIOItem: Encodable {
    var OTIO_SCHEMA: String
    var name: String
    var source_range: OTIOTimeRange
    var media_reference: OTIOReference?
    var metadata: OTIOMetadata?
}

struct OTIOTrack: Encodable {
    let OTIO_SCHEMA = "Track.1"
    var name: String
    var kind: String
    var children: [OTIOItem]
}

struct OTIOStack: Encodable {
    let OTIO_SCHEMA = "Stack.1"
    let name = "tracks"
    var children: [OTIOTrack]
    var markers: [OTIOMarker]
}

struct OTIOTimeline: Encodable {
    let OTIO_SCHEMA = "Timeline.1"
    var name: String
    var global_start_time: OTIOTime
    var metadata: OTIOMetadata
    var tracks: OTIOStack
}

/// Information that the schemata have no member for, under this program's name. Members that do not apply are absent.
struct OTIOMetadata: Encodable {
    var caprig: Content

    struct Content: Encodable {
        var take: String?
        var note: String?
        var device: String?
        /// Exact, in seconds, such as `842/90000s`.
        var firstFrame: String?
        var duration: String?
    }
}
