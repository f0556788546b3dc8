import CaptureModel
import Video4Linux

/// The exposure time as a device's control tells it.
enum ExposureReading {
    /// Longer times are taken for nonsense: no free-running camera exposes for ten seconds.
    private static let longest: Int64 = 100_000

    /// Whether the device has the control at all.
    static func isOffered(by device: some ControlAccess) throws(VideoError) -> Bool {
        try device.control(VideoControl.exposureAbsolute)?.isReadable == true
    }

    /// Asks the device, which may take long. Nil while automatic exposure has taken the control over, since its value is
    /// not the one in use, and where the device does not answer.
    static func exposure(of device: some ControlAccess) -> Duration? {
        guard let control = try? device.control(VideoControl.exposureAbsolute), !control.isInactive,
            let units = try? device.value(of: control), (1...longest).contains(units)
        else { return nil }
        return .microseconds(units * 100)
    }
}
