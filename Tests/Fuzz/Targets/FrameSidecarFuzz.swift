import CaptureModel
import FoundationEssentials

@testable import Export

/// The `frames.jsonl` of a movie in a library, of which an export makes timelines.
enum FrameSidecarFuzz {
    /// Nanoseconds from frame to frame, as nodes may tell them.
    private static let intervals: [Int64] = [.min, 0, 1, 8_341_667, 33_366_667, 41_708_333, 133_333_333, .max]

    static func run(_ bytes: [UInt8]) throws {
        var reader = SidecarOutline.Reader()
        reader.append(Array(bytes.prefix(bytes.count / 2)))
        reader.append(Array(bytes.dropFirst(bytes.count / 2)))
        guard let outline = reader.outline else { return }
        let format = VideoFormat(pixelFormat: .mjpeg, width: 640, height: 360, frameInterval: .zero)
        var angles: [TakeTimeline.Angle] = []
        for interval in intervals {
            var capture = Capture(
                device: DeviceDescription(id: try DeviceID("north/cam"), driver: "virtual"), kinds: AssetKind.ofMovie)
            capture.resolved = ResolvedPhotoSettings(
                width: 640, height: 360, streamFormat: format, isCameraEncoded: true, orientation: .degrees90)
            capture.resolved?.streamFormat.frameIntervalNanoseconds = interval
            guard let angle = TakeTimeline.Angle(capture, [("movie.mov", outline)]) else { continue }
            try FuzzFinding.unless(
                angle.clips.allSatisfy { $0.first >= .zero && $0.duration > .zero }, "a movie without a length is shown"
            )
            angles.append(angle)
        }
        try render(angles)
    }

    private static func render(_ angles: [TakeTimeline.Angle]) throws {
        guard let id = ShotID("01a2014b-3dbc-747f-8aae-3de1dc68cfe3") else { return }
        let shot = Shot(
            id: id, time: RigTime(nanoseconds: 0), rigClock: RigClockID(rawValue: "boot.1"),
            wallClock: WallClockPair(monotonic: RigTime(nanoseconds: 0), realtimeNanoseconds: 0),
            coordinatorEpoch: .random(), request: ShotRequest(selection: Selection()), captures: [])
        guard let timeline = TakeTimeline(shot, ShotAnnotation(), angles: angles) else { return }
        try FuzzFinding.unless(!FCPXML(timeline).bytes.isEmpty, "a timeline is empty")
        struct Read: Decodable { var name: String }
        let read = try JSONDecoder().decode(Read.self, from: Data(try OpenTimelineIO(timeline).bytes()))
        try FuzzFinding.unless(read.name == id.description, "a timeline has another name than its take")
    }
}
