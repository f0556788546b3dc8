import ALSA
public import CameraKit
public import CaptureModel
import PosixSupport

/// A microphone of ALSA, by libasound's name for it. Samples of 16 bits only; `plughw:` converts others.
///
/// Opening and capturing happen on a thread of the microphone's own, named `mic-` and its name. ``SoundStampRule`` says how
/// the driver's stamps (`snd_pcm_htimestamp`) become instants.
public final class ALSAMicrophone: Microphone {
    private let name: String
    private let device: String
    private let latencyOffset: Duration
    private let isOpen = Locked(false)

    /// Buffers that may wait for a slow consumer before the oldest is dropped: more than half a second of them.
    private static let waitingBuffers = 64

    /// - Parameters:
    ///   - name: Names the thread.
    ///   - device: libasound's name, such as `hw:CARD=Webcam,DEV=0`.
    ///   - latencyOffset: Added to every stamp: what was measured of the device's own delay, negative.
    public init(name: String, device: String, latencyOffset: Duration = .zero) {
        self.name = name
        self.device = device
        self.latencyOffset = latencyOffset
    }

    public var identityDescription: String? { device }

    public func start(
        _ request: AudioFormatRequest, clock: any TimeSource
    ) async throws(CameraError) -> any MicrophoneStream {
        guard take() else {
            throw CameraError(
                .busy, device: device, operation: "start",
                reason: "this process has it open already; stop that stream first")
        }
        let result = await withCheckedContinuation { started in
            startThread(request, clock) { started.resume(returning: $0) }
        }
        return try result.get()
    }

    private func take() -> Bool {
        isOpen.withLock { isOpen in
            defer { isOpen = true }
            return !isOpen
        }
    }

    private func giveBack() {
        isOpen.withLock { $0 = false }
    }

    private typealias Started = @Sendable (Result<ALSAMicrophoneStream, CameraError>) -> Void

    /// Calls `started` exactly once: from the new thread, or at once where there is none to be had.
    private func startThread(_ request: AudioFormatRequest, _ clock: any TimeSource, _ started: @escaping Started) {
        do throws(PosixError) {
            let control = try StreamControl()
            let thread = try NamedThread(name: "mic-\(name)") { [self] in runThread(request, clock, control, started) }
            control.adopt(thread)
        } catch {
            giveBack()
            let failure = CameraError(.failed, device: device, operation: error.operation, reason: error.description)
            started(.failure(failure))
        }
    }

    private func runThread(
        _ request: AudioFormatRequest, _ clock: any TimeSource, _ control: StreamControl, _ started: Started
    ) {
        let (buffers, continuation) = AsyncStream.makeStream(
            of: AudioBuffer.self, bufferingPolicy: .bufferingNewest(Self.waitingBuffers))
        let end = capture(request, clock, control, continuation) { format in
            started(.success(ALSAMicrophoneStream(format, buffers: buffers, control: control)))
        }
        // The device is closed here. The microphone is free before anybody learns of the end, so that whoever waits for it
        // can start it again at once; and `failure` is set before the buffers end.
        giveBack()
        switch end {
        case .stopped: control.finish(nil)
        case .failed(let error): control.finish(error)
        case .notStarted(let error): started(.failure(error))
        }
        continuation.finish()
    }

    /// How a microphone's thread came to its end.
    private enum End {
        case notStarted(CameraError)
        case failed(CameraError)
        case stopped
    }

    private func capture(
        _ request: AudioFormatRequest, _ clock: any TimeSource, _ control: StreamControl,
        _ buffers: AsyncStream<AudioBuffer>.Continuation, running: (AudioFormat) -> Void
    ) -> End {
        let capture: ALSACapture
        do throws(ALSAError) {
            capture = try ALSACapture(
                device: device, request, latencyOffset: latencyOffset, control: control, buffers: buffers, clock: clock)
        } catch {
            return .notStarted(CameraError(error))
        }
        running(capture.format)
        do throws(ALSAError) {
            try capture.run()
            return .stopped
        } catch {
            return .failed(CameraError(error))
        }
    }

    /// By the permissions of the device's node; a name that is of no card (`default`, `null`) has none.
    public func authorization() async -> AuthorizationStatus {
        await access()?.status ?? .authorized
    }

    public func authorizationRemedy() async -> String? {
        await access()?.remedy
    }

    private func access() async -> NodeAccess? {
        let device = device
        do throws(PosixError) {
            return try await BlockingCall.run(thread: "ask-\(name)") { SoundNode(device: device)?.access() }
        } catch {
            return NodeAccess(.notDetermined, remedy: error.description)
        }
    }
}
