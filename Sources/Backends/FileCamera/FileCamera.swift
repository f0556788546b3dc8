public import CameraKit
public import CaptureModel

/// A camera that plays recorded JPEG images, so that a rig's recording can be replayed.
///
/// The recording is a folder of images, played in the natural order of their names, or one file of concatenated images.
/// It is read completely once before it is played, and again only after it was changed. Images are then read one by one
/// when they are due. Opening and playing happen on a separate thread; usable from any thread.
///
/// Without `loop`, the camera is absent after the last image, as if it were unplugged: the stream ends with `absent`,
/// and so do later starts.
public final class FileCamera: Camera {
    private let name: String
    private let configuration: FileCameraConfiguration
    private let device: FileDevice

    /// - Parameters:
    ///   - name: The name for the thread.
    ///   - configuration: The recording and how it is played. ``start(_:clock:)`` refuses an invalid one.
    public init(name: String, configuration: FileCameraConfiguration) {
        self.name = name
        self.configuration = configuration
        device = FileDevice(path: configuration.path)
    }

    /// Scans the recording if that was not done yet, and plays it from the next instant of its grid.
    ///
    /// The camera is free again when the stream ends, by ``CameraStream/stop()``, by releasing the stream or by a
    /// failure.
    /// - Throws: ``CameraError``: `absent` if there is no image, or if the recording is over; `denied` if it may not be
    ///   read; `failed` if it is not a recording, naming the file and the byte; `busy`; `unsupportedFormat`.
    public func start(
        _ request: FormatRequest, clock: any TimeSource
    ) async throws(CameraError) -> any CameraStream {
        try device.acquire()
        do throws(RecordingProblem) {
            let (player, recording) = try await open()
            let format = try VideoFormat(request, of: recording.index, configuration)
            return FileCameraStream(
                device, player, recording, schedule(recording, request, start: clock.now()), format: format,
                clock: clock)
        } catch {
            device.release()
            throw device.error(error, "open")
        }
    }

    public var stamps: CameraStamps? { CameraStamps(.recorded) }

    /// Returns whether this process may read the recording; `notDetermined` if there is none. Reads no image.
    public func authorization() async -> AuthorizationStatus {
        do throws(RecordingProblem) {
            try await FilePlayer(name: name).checkReadable(configuration.path)
            return .authorized
        } catch {
            switch error.code {
            case .denied: return .denied
            case .absent: return .notDetermined
            default: return .authorized
            }
        }
    }

    /// Returns the size of the recording's images, at any rate. Scans the recording if that was not done yet.
    /// - Throws: Like ``start(_:clock:)``.
    public func capabilities() async throws(CameraError) -> DeviceCapabilities {
        let index: RecordingIndex
        do throws(RecordingProblem) {
            index = try await open().recording.index
        } catch {
            throw device.error(error, "open")
        }
        let offer = FormatOffer(
            pixelFormat: .mjpeg, width: index.width, height: index.height, intervals: .anyRate)
        return DeviceCapabilities(formats: [offer])
    }

    private func open() async throws(RecordingProblem) -> (player: FilePlayer, recording: Recording) {
        if let problem = configuration.problem { throw RecordingProblem(.failed, problem) }
        let player = try FilePlayer(name: name)
        let recording = try await player.open(configuration.path, known: device.index)
        device.index = recording.index
        return (player, recording)
    }

    private func schedule(_ recording: Recording, _ request: FormatRequest, start: LocalTime) -> PlaybackSchedule {
        let grid = FrameGrid(
            interval: 1e9 / (request.framesPerSecond ?? configuration.framesPerSecond),
            phase: configuration.phaseMilliseconds * 1e6)
        return PlaybackSchedule(
            grid, imageCount: recording.index.images.count, loops: configuration.loop, start: start)
    }
}

extension IntervalOffer {
    /// Any rate at which a recording can be played.
    fileprivate static var anyRate: IntervalOffer {
        let rates = FileCameraLimits.framesPerSecond
        return IntervalOffer(
            shortestNanoseconds: Int64(1e9 / rates.upperBound), longestNanoseconds: Int64(1e9 / rates.lowerBound))
    }
}

extension VideoFormat {
    /// Creates the format of a stream of recorded images: their size, at the requested or configured rate.
    init(
        _ request: FormatRequest, of index: RecordingIndex, _ configuration: FileCameraConfiguration
    ) throws(RecordingProblem) {
        let rate = request.framesPerSecond ?? configuration.framesPerSecond
        guard request.pixelFormat ?? .mjpeg == .mjpeg, request.width ?? index.width == index.width,
            request.height ?? index.height == index.height, FileCameraLimits.framesPerSecond.contains(rate)
        else {
            throw RecordingProblem(
                .unsupportedFormat,
                "the recording holds \(PixelFormat.mjpeg.rawValue) \(index.width)x\(index.height), "
                    + "played at \(FileCameraLimits.framesPerSecond) frames per second, and nothing else; "
                    + "remove `format` or correct it")
        }
        self.init(
            pixelFormat: .mjpeg, width: index.width, height: index.height,
            frameInterval: .nanoseconds(Int64((1e9 / rate).rounded())))
    }
}
