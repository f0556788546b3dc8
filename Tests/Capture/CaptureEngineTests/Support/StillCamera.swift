import CameraKit
import CaptureModel
import PosixSupport

/// A camera without frames, whose pictures the test chooses.
final class StillCamera: Camera {
    static let format = VideoFormat(
        pixelFormat: .mjpeg, width: 160, height: 120, frameInterval: .seconds(3))

    let stills: ScriptedStills

    /// - Parameter files: What each picture is, in order; the last one is that of all further ones.
    init(_ files: [TakenPicture.Files], hasRawFiles: Bool = true) {
        stills = ScriptedStills(files, hasRawFiles: hasRawFiles)
    }

    func start(_ request: FormatRequest, clock: any TimeSource) async throws(CameraError) -> any CameraStream {
        StillStream(stills: stills)
    }

    func authorization() async -> AuthorizationStatus { .authorized }

    func capabilities() async throws(CameraError) -> DeviceCapabilities { DeviceCapabilities(only: Self.format) }
}

/// Returns the pictures of a list, each exposed exactly at its instant.
final class ScriptedStills: StillSource {
    private struct State {
        var taken: [Bool] = []
        var durable: [TakenPicture.Number] = []
    }

    let lag = Duration.zero
    let hasRawFiles: Bool
    let byteCount = TakenPicture.ByteCount(photo: 10_000, raw: 20_000)
    private let files: [TakenPicture.Files]
    private let state = Locked(State())

    init(_ files: [TakenPicture.Files], hasRawFiles: Bool) {
        self.files = files
        self.hasRawFiles = hasRawFiles
    }

    /// Whether each picture was asked for with a raw file.
    var asked: [Bool] { state.withLock { $0.taken } }
    /// The pictures of which the camera may remove its copies.
    var durable: [UInt64] { state.withLock { $0.durable.map(\.value) } }

    func picture(at instant: LocalTime, withRaw: Bool) async throws(CameraError) -> TakenPicture {
        let number = state.withLock { state in
            state.taken.append(withRaw)
            return state.taken.count
        }
        guard let found = files.dropFirst(number - 1).first ?? files.last else {
            throw CameraError(.failed, device: "still camera", operation: "take a picture", reason: "it has none")
        }
        return TakenPicture(
            number: TakenPicture.Number(UInt64(number)), sequence: UInt64(number), midExposure: instant,
            stampBound: .milliseconds(5), dequeued: instant, files: found)
    }

    func isDurable(_ picture: TakenPicture.Number) { state.withLock { $0.durable.append(picture) } }
}

private final class StillStream: CameraStream {
    let stills: (any StillSource)?
    let frames: AsyncStream<CameraFrame>
    private let end: AsyncStream<CameraFrame>.Continuation

    init(stills: ScriptedStills) {
        self.stills = stills
        (frames, end) = AsyncStream.makeStream(of: CameraFrame.self)
    }

    var format: VideoFormat { StillCamera.format }
    var hardware: CameraHardware { CameraHardware() }
    var losses: FrameCounters { FrameCounters() }
    var failure: CameraError? { nil }

    func stop() async { end.finish() }
}
