public import CameraKit
public import CaptureModel
public import RigConfiguration

/// A running file camera.
///
/// A frame is stamped with the instant at which it is due, and delivered then or later, never earlier. The exposure
/// data in the images is ignored, because it is long past.
final class FileCameraStream: CameraStream {
    let format: VideoFormat
    let hardware: CameraHardware
    let frames: AsyncStream<CameraFrame>
    let report: StreamReport
    private let playing: Task<Void, Never>

    /// Number of frames that wait for a consumer, as many as a V4L2 camera has buffers for.
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
        // Unstructured, because the stream outlives the call that starts it. The task ends with `stop()` or with this
        // object.
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
        // In this order, so that a consumer that sees the end of the frames can start the camera again.
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

/// Cameras that play recorded images. There are none to discover: a configuration names the recording.
public struct FileBackend: CaptureBackend {
    public let name = FileCameraConfiguration.key
    public let cameras: (any CameraSource.Type)? = FileCameraConfiguration.self

    public init() {}
}

/// The recording that a file camera plays, and how. The names are the keys in YAML.
public struct FileCameraConfiguration: Hashable, Sendable {
    /// A folder of JPEG images, or one file of concatenated JPEG images.
    public var path: String
    /// Images per second, unless the format request names another rate.
    public var framesPerSecond: Double
    /// Whether it starts again after its last image. Otherwise the stream ends there.
    public var loop: Bool
    /// The phase of the frames: frame `k` is delivered at `phase + k · interval` of this machine's `CLOCK_MONOTONIC`.
    public var phaseMilliseconds: Double

    public init(
        path: String, framesPerSecond: Double = 30, loop: Bool = true, phaseMilliseconds: Double = 0
    ) {
        self.path = path
        self.framesPerSecond = framesPerSecond
        self.loop = loop
        self.phaseMilliseconds = phaseMilliseconds
    }

    /// Why a camera with this configuration would not start, with the valid values; nil if it is valid.
    public var problem: String? {
        if path.isEmpty { return "path: names no folder or file" }
        if !FileCameraLimits.framesPerSecond.contains(framesPerSecond) {
            return "framesPerSecond: \(framesPerSecond) is not within \(FileCameraLimits.framesPerSecond)"
        }
        if !FileCameraLimits.phaseMilliseconds.contains(phaseMilliseconds) {
            return "phaseMilliseconds: \(phaseMilliseconds) is not within \(FileCameraLimits.phaseMilliseconds)"
        }
        return nil
    }
}

/// The limits of a file camera.
public enum FileCameraLimits {
    public static let framesPerSecond = 0.01...1000.0
    public static let phaseMilliseconds = -3_600_000.0...3_600_000.0
    /// Limit on the images of one recording: nine hours at 30 per second. Their index needs 32 bytes each.
    public static let imageCount = 1_000_000
    /// Limit on the bytes of one image.
    public static let imageByteCount = 64 << 20
}

extension FileCameraConfiguration: CameraSource {
    public static let key = "file"

    /// Reads the configuration. The limits are those of the file camera itself, reported here with their line. The
    /// existence of the recording is not checked.
    public init?(_ value: YAMLValue) {
        guard let mapping = value.mapping() else { return nil }
        let path = mapping.required("path")?.filePath()
        self.init(path: path ?? "")
        framesPerSecond = mapping.read(
            "framesPerSecond", .number(FileCameraLimits.framesPerSecond), default: framesPerSecond)
        loop = mapping.read("loop", .flag, default: loop)
        phaseMilliseconds = mapping.read(
            "phaseMilliseconds", .number(FileCameraLimits.phaseMilliseconds), default: phaseMilliseconds)
        mapping.finish()
        guard path != nil else { return nil }
    }

    public var written: WrittenValue {
        .mapping { mapping in
            mapping.add("path", text: path)
            mapping.add("framesPerSecond", plain: framesPerSecond)
            mapping.add("loop", plain: loop)
            mapping.add("phaseMilliseconds", plain: phaseMilliseconds)
        }
    }

    /// Any number of cameras may play one recording.
    public var hardware: String? { nil }

    public func makeCamera(name: DeviceName, stamps: StampCorrection) -> any Camera {
        FileCamera(name: name.rawValue, configuration: self)
    }
}

extension DeviceSource {
    /// Creates the source of a camera that plays a recording.
    public static func file(_ configuration: FileCameraConfiguration) -> DeviceSource { DeviceSource(configuration) }
}
