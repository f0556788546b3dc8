package import CameraKit
package import CaptureModel
import PosixSupport
import Synchronization
import SystemClock

/// A camera that is a program's output: ``CameraProgram`` says what that is.
///
/// The program runs while the stream does. It is started and read on a separate thread, named `cam-` and the camera's name. A stop asks it
/// to end, and kills it and what it has started after two seconds. ``ProgramStamps`` says what its stamps mean.
package final class ProgramCamera: Camera {
    private let name: String
    private let program: CameraProgram
    private let correction: StampCorrection
    private let thread: DeviceThread
    private let makeExposures: (@Sendable (ProgramExposureContext) -> any ProgramExposures)?
    /// What the program was capable of at the last start.
    private let known = Mutex<DeviceCapabilities?>(nil)

    /// Frames that wait for a consumer, as many as a V4L2 camera has buffers for.
    private static let depth = 4

    /// - Parameters:
    ///   - stamps: What was measured of the program's times.
    ///   - exposures: Of a camera that exposes only at given instants; nil for one that runs free.
    package init(
        name: String, program: CameraProgram, stamps: StampCorrection = StampCorrection(),
        exposures: (@Sendable (ProgramExposureContext) -> any ProgramExposures)? = nil
    ) {
        makeExposures = exposures
        self.name = name
        self.program = program
        correction = stamps
        thread = DeviceThread(name: "cam-\(name)", device: name, signals: .blocked)
    }

    package var stamps: CameraStamps? {
        CameraStamps(program.stampOrigin, correction: correction)
    }

    package var identityDescription: String? { program.identity }

    /// Runs the program and returns when its first picture is there.
    ///
    /// The camera is free again when the stream ends: by ``CameraStream/stop()``, by releasing the stream, or by a failure.
    /// - Throws: ``CameraError``: `absent` if the program is missing; `denied` if it may not be run; `failed` if it ends or writes no
    ///   picture within `startMilliseconds`; `unsupportedFormat` if its pictures are of another size; `busy`; and what the program tells
    ///   in a line `failed`.
    package func start(_ request: FormatRequest, clock: any TimeSource) async throws(CameraError) -> any CameraStream {
        let stream: DeviceStream = try await thread.start(queueing: Self.depth) {
            [self] (channel, running) throws(CameraError) in
            try runThread(request, clock, channel, running)
        }
        return stream
    }

    private func runThread(
        _ request: FormatRequest, _ clock: any TimeSource, _ channel: DeviceThread.Channel<CameraFrame>,
        _ running: (DeviceStream) -> Void
    ) throws(CameraError) {
        let program = program.asked(for: request)
        let exposures = makeExposures?(
            ProgramExposureContext(
                device: name, control: channel.control, clock: clock, correction: correction,
                interval: program.arrival.frameInterval))
        let capture = try ProgramCapture(
            device: name, program, correction, exposures: exposures, control: channel.control, clock: clock)
        defer { capture.end() }
        guard let format = try capture.start() else { return }
        let told = capture.told
        var capabilities = DeviceCapabilities(only: format)
        if !told.formats.isEmpty { capabilities.formats = told.formats }
        let fixed = exposures.flatMap { _ in capture.controls }.map { ReadOnlyControls(device: name, controls: $0) }
        capabilities.controls = fixed?.told ?? capture.controls?.told ?? []
        known.withLock { [capabilities] in $0 = capabilities }
        try request.require(
            format, framesPerSecond: program.arrival.framesPerSecond, of: name, source: "its program writes",
            remedy: program.formatRemedy)
        let hardware = CameraHardware(
            make: told.make, model: told.model, serial: told.serial, busInformation: program.connection)
        running(
            DeviceStream(
                format, hardware, of: channel, sampleRange: capture.sampleRange,
                statesFrameValues: program.statesFrameValues, controls: fixed ?? capture.controls,
                exposures: exposures, phaseControl: exposures == nil ? .restart : .fixed))
        try capture.run(channel.queue)
    }

    /// Returns whether the program is there and may be run. Nothing is run.
    package func authorization() async -> AuthorizationStatus { access.status }

    package func authorizationRemedy() async -> String? { access.remedy }

    private var access: ProgramAccess {
        ProgramAccess(program: program.command.first ?? "", of: name, installing: program.installing)
    }

    /// Returns the formats and the controls that the program tells. Unless they are known from the last start, runs the program until its
    /// first picture.
    /// - Throws: Like ``start(_:clock:)``.
    package func capabilities() async throws(CameraError) -> DeviceCapabilities {
        if let known = known.withLock({ $0 }) { return known }
        let stream = try await start(FormatRequest(), clock: SystemTimeSource())
        let controls = try await stream.controls()
        await stream.stop()
        var capabilities = known.withLock { $0 } ?? DeviceCapabilities(only: stream.format)
        capabilities.controls = controls
        return capabilities
    }
}
