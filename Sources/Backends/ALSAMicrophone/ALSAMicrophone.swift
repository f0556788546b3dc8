import ALSA
public import CameraKit
public import CaptureModel
import PosixSupport

/// An ALSA microphone, identified by its libasound name. Samples of 16 bits only; `plughw:` converts others.
///
/// Opening and capturing happen on a separate thread, named `mic-` and the microphone's name. ``SoundStampRule``
/// defines how the driver's stamps (`snd_pcm_htimestamp`) become instants.
public final class ALSAMicrophone: Microphone {
    private let name: String
    private let device: String
    private let latencyOffset: Duration
    private let isOpen = Locked(false)

    /// Number of buffers that may wait for a slow consumer before the oldest is dropped: more than half a second of
    /// sound.
    private static let waitingBuffers = 64

    /// - Parameters:
    ///   - name: The name for the thread.
    ///   - device: The libasound name, such as `hw:CARD=Webcam,DEV=0`.
    ///   - latencyOffset: Added to every stamp: the measured delay of the device, negative.
    public init(name: String, device: String, latencyOffset: Duration = .zero) {
        self.name = name
        self.device = device
        self.latencyOffset = latencyOffset
    }

    public var identityDescription: String? { device }

    public func start(
        _ request: AudioFormatRequest, clock: any TimeSource
    ) async throws(CameraError) -> any MicrophoneStream {
        guard acquire() else {
            throw CameraError(
                .busy, device: device, operation: "start",
                reason: "this process has it open already; stop that stream first")
        }
        let result = await withCheckedContinuation { started in
            startThread(request, clock) { started.resume(returning: $0) }
        }
        return try result.get()
    }

    private func acquire() -> Bool {
        isOpen.withLock { isOpen in
            defer { isOpen = true }
            return !isOpen
        }
    }

    private func release() {
        isOpen.withLock { $0 = false }
    }

    private typealias Started = @Sendable (Result<ALSAMicrophoneStream, CameraError>) -> Void

    /// Calls `started` exactly once: from the new thread, or at once if no thread can be created.
    private func startThread(_ request: AudioFormatRequest, _ clock: any TimeSource, _ started: @escaping Started) {
        do throws(PosixError) {
            let control = try StreamControl()
            let thread = try NamedThread(name: "mic-\(name)") { [self] in runThread(request, clock, control, started) }
            control.adopt(thread)
        } catch {
            release()
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
        // The device is closed here. The microphone is released before the end is reported, so that a waiting caller
        // can start it again at once. `failure` is set before the buffers end.
        release()
        switch end {
        case .stopped: control.finish(nil)
        case .failed(let error): control.finish(error)
        case .notStarted(let error): started(.failure(error))
        }
        continuation.finish()
    }

    /// How a microphone's thread ended.
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

    /// Checks the permissions of the device's node. A name without a card (`default`, `null`) has no node.
    public func authorization() async -> AuthorizationStatus {
        await access()?.status ?? .authorized
    }

    public func authorizationRemedy() async -> String? {
        await access()?.remedy
    }

    private func access() async -> NodeAccess? {
        let device = device
        do throws(PosixError) {
            return try await BlockingCall.run(thread: "ask-\(name)") { PCMNode(device: device)?.access() }
        } catch {
            return NodeAccess(.notDetermined, remedy: error.description)
        }
    }
}

/// A running ALSA microphone. Releasing it stops the microphone, as ``stop()`` does, without waiting for it.
final class ALSAMicrophoneStream: MicrophoneStream {
    let format: AudioFormat
    let buffers: AsyncStream<AudioBuffer>
    private let control: StreamControl

    init(_ format: AudioFormat, buffers: AsyncStream<AudioBuffer>, control: StreamControl) {
        self.format = format
        self.buffers = buffers
        self.control = control
    }

    deinit {
        control.requestStop()
    }

    var losses: FrameCounters { control.losses }

    var failure: CameraError? { control.failure }

    func stop() async {
        control.requestStop()
        await control.waitUntilFinished()
    }
}
