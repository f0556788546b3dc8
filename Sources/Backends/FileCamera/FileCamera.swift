public import CameraKit
public import CaptureModel
import PosixSupport

/// A camera that plays recorded JPEG images, so that what a rig has seen can be seen again.
///
/// The recording is a folder of images, played in the natural order of their names, or one file of images one after
/// another. It is read through once before it is played, and again only after it was changed; images are then read one by
/// one when they are due. Opening and playing happen on a thread of the camera's own; usable from any thread.
///
/// Without `loop`, the camera is gone once the last image was shown, as if it were unplugged: the stream ends with
/// `absent`, and so do further starts.
public final class FileCamera: Camera {
    private let name: String
    private let configuration: FileCameraConfiguration
    private let device: FileDevice

    /// - Parameters:
    ///   - name: Names the thread.
    ///   - configuration: ``start(_:clock:)`` refuses an unsound one.
    public init(name: String, configuration: FileCameraConfiguration) {
        self.name = name
        self.configuration = configuration
        device = FileDevice(path: configuration.path)
    }

    /// Reads the recording through where that was not done yet, and plays it from the next place of its grid on.
    ///
    /// The camera is free again when the stream ends, by ``CameraStream/stop()``, by dropping the stream or by a failure.
    /// - Throws: ``CameraError``: `absent` where there is no image, or the recording is over; `denied` where it may not be
    ///   read; `failed` where it is no recording, naming the file and the byte; `busy`; `unsupportedFormat`.
    public func start(
        _ request: FormatRequest, clock: any TimeSource
    ) async throws(CameraError) -> any CameraStream {
        try device.take()
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

    /// Whether this process may read the recording; `notDetermined` where there is none. Looks at no image.
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

    /// The size of the recording's images, at any rate; reads the recording through where that was not done yet.
    /// - Throws: As ``start(_:clock:)``.
    public func capabilities() async throws(CameraError) -> DeviceCapabilities {
        let index: RecordingIndex
        do throws(RecordingProblem) {
            index = try await open().recording.index
        } catch {
            throw device.error(error, "open")
        }
        let size = SizeOffer(
            widths: PixelRange(index.width, index.width), heights: PixelRange(index.height, index.height),
            intervals: [.anyRate])
        return DeviceCapabilities(formats: [FormatOffer(pixelFormat: .mjpeg, sizes: [size])])
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
    /// Any rate that a recording can be played at.
    fileprivate static var anyRate: IntervalOffer {
        let rates = FileCameraLimits.framesPerSecond
        return IntervalOffer(
            shortestNanoseconds: Int64(1e9 / rates.upperBound), longestNanoseconds: Int64(1e9 / rates.lowerBound))
    }
}
