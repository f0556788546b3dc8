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
    private let thread: DeviceThread

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
        thread = DeviceThread(name: "mic-\(name)", device: device)
    }

    public var identityDescription: String? { device }

    public func start(
        _ request: AudioFormatRequest, clock: any TimeSource
    ) async throws(CameraError) -> any MicrophoneStream {
        let stream: ALSAMicrophoneStream = try await thread.start(queueing: Self.waitingBuffers) {
            [self] (channel, running) throws(CameraError) in
            do throws(ALSAError) {
                try runThread(request, clock, channel, running)
            } catch {
                throw CameraError(error)
            }
        }
        return stream
    }

    private func runThread(
        _ request: AudioFormatRequest, _ clock: any TimeSource, _ channel: DeviceThread.Channel<AudioBuffer>,
        _ running: (ALSAMicrophoneStream) -> Void
    ) throws(ALSAError) {
        let capture = try ALSACapture(
            device: device, request, latencyOffset: latencyOffset, control: channel.control, buffers: channel.queue,
            clock: clock)
        running(ALSAMicrophoneStream(capture.format, buffers: channel.elements, control: channel.control))
        try capture.run()
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
