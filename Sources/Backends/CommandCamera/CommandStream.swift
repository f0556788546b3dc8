import CameraKit
import CaptureModel

/// A program that runs, and its pictures.
final class CommandStream: CameraStream {
    let format: VideoFormat
    let hardware: CameraHardware
    let frames: AsyncStream<CameraFrame>
    private let control: StreamControl

    init(
        _ format: VideoFormat, _ configuration: CommandCameraConfiguration, frames: AsyncStream<CameraFrame>,
        control: StreamControl
    ) {
        self.format = format
        hardware = CameraHardware(busInformation: "command:\(configuration.run.first ?? "")")
        self.frames = frames
        statesFrameValues = configuration.times != nil
        self.control = control
    }

    deinit {
        control.requestStop()
    }

    /// What a program tells of a picture is that picture's.
    let statesFrameValues: Bool

    var losses: FrameCounters { control.losses }

    var failure: CameraError? { control.failure }

    func stop() async {
        control.requestStop()
        await control.waitUntilFinished()
    }
}
