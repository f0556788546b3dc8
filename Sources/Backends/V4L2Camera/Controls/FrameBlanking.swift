public import CameraKit
import CaptureModel
import Video4Linux

/// The vertical blanking of a sensor, with which its frames are made longer or shorter for a while to move their phase.
///
/// When a driver applies a value is not defined: with the next frame or one or two later. So a move changes several frames by a little
/// each, and may be off by what one frame is changed by.
struct FrameBlanking: Hashable, Sendable {
    /// The most frames that a move takes.
    static let mostFrames = 8
    /// The lines that a sensor needs between the end of an exposure and the next frame; the drivers of common sensors say 4 to 22.
    private static let margin: Int64 = 24
    /// How much the lines of a frame may differ from the stated interval: a sensor that is scaled or binned has others.
    private static let tolerance = 0.02

    let control: VideoControl
    /// The value that the stream began with, to which it returns.
    let lines: Int64
    /// Nanoseconds that a line takes.
    let lineTime: Double
    let steps: PhaseSteps

    /// Reads the controls of an open device. Blocks.
    /// - Returns: nil if it cannot move frames: it is not a sensor with these controls, or its frames are not what they say.
    init?(of device: some ControlAccess, _ format: VideoFormat) throws(VideoError) {
        guard let control = try device.control(VideoControl.verticalBlanking), control.isReadable, control.isWritable,
            !control.isGrabbed,
            let lines = try Self.value(VideoControl.verticalBlanking, of: device),
            let blank = try Self.value(VideoControl.horizontalBlanking, of: device), blank >= 0, lines >= 0,
            let rate = try Self.value(VideoControl.pixelRate, of: device), rate > 0
        else { return nil }
        let lineTime = (Double(format.width) + Double(blank)) / Double(rate) * 1e9
        let frameTime = lineTime * (Double(format.height) + Double(lines))
        let interval = Double(format.frameInterval.nanoseconds)
        guard abs(frameTime - interval) <= interval * Self.tolerance else { return nil }
        let exposure = try Self.value(VideoControl.exposureLines, of: device)
        // A frame that is shorter than its exposure would change the exposure.
        let least = exposure.map { max(control.minimum, $0 + Self.margin - Int64(format.height), 0) } ?? lines
        let most = min(control.maximum, lines + Int64(interval / lineTime))
        self.control = control
        self.lines = lines
        self.lineTime = lineTime
        func duration(_ lines: Int64) -> Duration { .nanoseconds(Int64((Double(lines) * lineTime).rounded())) }
        let frames = Int64(Self.mostFrames)
        steps = PhaseSteps(
            step: duration(1),
            range: duration(min(least - lines, 0) * frames)...duration(max(most - lines, 0) * frames),
            settlingFrames: 3)
    }

    private static func value(_ id: UInt32, of device: some ControlAccess) throws(VideoError) -> Int64? {
        guard let control = try device.control(id), control.isReadable else { return nil }
        return try device.value(of: control)
    }

    /// Returns by how many lines how many frames are to be longer, or shorter, for a shift within the range of ``steps``.
    func plan(_ shift: Duration) -> (lines: Int64, frames: Int) {
        let total = Int64((Double(shift.nanoseconds) / lineTime).rounded())
        let frames = min(max(total.magnitude, 1), UInt64(Self.mostFrames))
        return (Int64((Double(total) / Double(frames)).rounded()), Int(frames))
    }

    /// Sets the blanking of the frames from now on. Blocks.
    /// - Parameter change: The lines more than usual; negative: less.
    func set(_ change: Int64, on device: some ControlAccess) throws(VideoError) {
        let value = min(max(lines + change, control.minimum), control.maximum)
        try device.setValues([ControlAssignment(control, value)])
    }
}

extension V4L2CameraStream {
    /// Restarts, each of which is followed by stamps of the driver, would never end if they are to fit those of the camera's clock.
    public var phaseControl: PhaseControl {
        if let blanking { return .steps(blanking.steps) }
        return usesCameraClock
            ? .none("restarts do not move it by the stamps of its clock (cameraClock), which come seconds after each")
            : .restart
    }

    /// Makes some frames longer or shorter. Returns when they have been exposed.
    public func shiftPhase(by shift: Duration) async throws(CameraError) -> Duration {
        guard let blanking else {
            throw CameraError(
                .unsupportedControl, device: name, operation: "shift phase",
                reason: "its driver has no controls for the blanking of the sensor")
        }
        let plan = blanking.plan(shift)
        let moved = Duration.nanoseconds(
            Int64((Double(plan.lines) * Double(plan.frames) * blanking.lineTime).rounded()))
        try await setBlanking(blanking, plan.lines)
        // So many frames take longer by what they are moved. Where this task is cancelled, the blanking is still put back.
        try? await clock.sleep(for: format.frameInterval * plan.frames + moved)
        try await setBlanking(blanking, 0)
        return moved
    }

    private func setBlanking(_ blanking: FrameBlanking, _ change: Int64) async throws(CameraError) {
        let name = name
        let outcome = await controlThread.perform { device in
            Result { () throws(VideoError) in try blanking.set(change, on: device) }
                .mapError { CameraError($0, device: name) }
        }
        try result(outcome)
    }
}
