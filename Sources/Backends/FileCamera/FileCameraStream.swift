import CameraKit
import CaptureModel

/// A running file camera.
///
/// A frame is stamped with the instant at which it is due, and handed on then or later, never earlier. What the images say
/// of their own exposure is not looked at: it is long past.
final class FileCameraStream: CameraStream {
    let format: VideoFormat
    let hardware: CameraHardware
    let frames: AsyncStream<CameraFrame>
    let report: StreamReport
    private let playing: Task<Void, Never>

    /// Frames that wait for a consumer, as many as a V4L2 camera has buffers for.
    private static let depth = 4

    init(
        _ device: FileDevice, _ player: FilePlayer, _ recording: Recording, _ schedule: PlaybackSchedule,
        format: VideoFormat, clock: any TimeSource
    ) {
        self.format = format
        hardware = CameraHardware(busInformation: "file:\(device.path)")
        let (frames, continuation) = AsyncStream.makeStream(
            of: CameraFrame.self, bufferingPolicy: .bufferingNewest(Self.depth))
        let report = StreamReport()
        self.frames = frames
        self.report = report
        let playback = Playback(
            recording: recording, schedule: schedule, clock: clock, report: report, frames: continuation)
        // Unstructured, because the stream outlives the call that starts it; it ends with `stop()` or with this object.
        playing = Task { await Self.play(playback, device, player) }
    }

    deinit {
        playing.cancel()
    }

    private static func play(_ playback: Playback, _ device: FileDevice, _ player: FilePlayer) async {
        do throws(RecordingProblem) {
            switch try await player.play(playback) {
            case .stopped: break
            case .over: playback.report.failed(device.end())
            }
        } catch {
            playback.report.failed(device.error(error, "play"))
        }
        // In this order, so that whoever sees the end of the frames can start the camera again.
        device.release()
        playback.frames.finish()
    }

    var losses: FrameCounters { report.losses.counters }

    var failure: CameraError? { report.failure }

    func stop() async {
        playing.cancel()
        await playing.value
    }
}
