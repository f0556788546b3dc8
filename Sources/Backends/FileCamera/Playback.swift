import CameraKit
import CaptureModel

/// What one stream of a file camera plays, from where, and to whom.
struct Playback: Sendable {
    let recording: Recording
    let schedule: PlaybackSchedule
    let clock: any TimeSource
    let report: StreamReport
    let frames: AsyncStream<CameraFrame>.Continuation
}
