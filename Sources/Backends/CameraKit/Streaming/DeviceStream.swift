package import CaptureModel

/// The stream of a camera that a ``DeviceThread`` reads. Releasing it stops the camera, as ``stop()`` does, without waiting for it.
package final class DeviceStream: CameraStream {
    package let format: VideoFormat
    package let hardware: CameraHardware
    package let frames: AsyncStream<CameraFrame>
    package let sampleRange: SampleRange
    package let statesFrameValues: Bool
    package let stills: (any StillSource)?
    package let exposures: (any ScheduledExposures)?
    package let phaseControl: PhaseControl
    private let control: StreamControl
    private let settable: (any StreamControls)?

    package init(
        _ format: VideoFormat, _ hardware: CameraHardware, of channel: DeviceThread.Channel<CameraFrame>,
        sampleRange: SampleRange = .full, statesFrameValues: Bool = false,
        controls: (any StreamControls)? = nil, stills: (any StillSource)? = nil,
        exposures: (any ScheduledExposures)? = nil, phaseControl: PhaseControl = .fixed
    ) {
        self.format = format
        self.hardware = hardware
        frames = channel.elements
        self.sampleRange = sampleRange
        self.statesFrameValues = statesFrameValues
        self.stills = stills
        self.exposures = exposures
        self.phaseControl = phaseControl
        control = channel.control
        settable = controls
    }

    deinit {
        control.requestStop()
    }

    package var losses: FrameCounters { control.losses }

    package var failure: CameraError? { control.failure }

    package func controls() async throws(CameraError) -> [DeviceControl] { try await settable?.controls() ?? [] }

    package func setControls(_ values: [String: Int64]) async throws(CameraError) -> [String: Int64] {
        guard let settable else { return try refuseControls(values) }
        return try await settable.setControls(values)
    }

    package func stop() async {
        control.requestStop()
        await control.waitUntilFinished()
    }
}
