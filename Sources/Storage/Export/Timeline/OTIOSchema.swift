/// What is written of OpenTimelineIO's schemata, under their names, each with the oldest version that has all of it.
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

/// What has no place of its own, under this program's name; absent where it does not apply.
struct OTIOMetadata: Encodable {
    var caprig: Content

    struct Content: Encodable {
        var take: String?
        var note: String?
        var device: String?
        /// Exact, in seconds: `842/90000s`.
        var firstFrame: String?
        var duration: String?
    }
}
