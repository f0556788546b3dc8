import CaptureModel
import Video4Linux

/// Exposure time and gain as a device's controls tell them.
///
/// Each is nil while an automatic has taken the control over, since its value is not the one in use, and where the device
/// does not have it, or does not answer.
struct SensorReading: Hashable, Sendable {
    /// Longer times are taken for nonsense: no free-running camera exposes for ten seconds.
    private static let longest: Int64 = 100_000

    private(set) var exposure: Duration?
    /// In the driver's units.
    private(set) var gain: Int64?

    /// Which of the controls a device has.
    struct Controls: Hashable, Sendable {
        fileprivate let hasExposure: Bool
        fileprivate let gain: UInt32?

        var isEmpty: Bool { !hasExposure && gain == nil }

        init(of device: some ControlAccess) throws(VideoError) {
            hasExposure = try device.control(VideoControl.exposureAbsolute)?.isReadable == true
            var found: UInt32?
            for id in VideoControl.gains where found == nil {
                if try device.control(id)?.isReadable == true { found = id }
            }
            gain = found
        }
    }

    init() {}

    /// Asks the device, which may take long.
    init(of device: some ControlAccess, _ controls: Controls) {
        if controls.hasExposure, let units = Self.value(VideoControl.exposureAbsolute, of: device),
            (1...Self.longest).contains(units)
        {
            exposure = .microseconds(units * 100)
        }
        gain = controls.gain.flatMap { Self.value($0, of: device) }
    }

    private static func value(_ id: UInt32, of device: some ControlAccess) -> Int64? {
        guard let control = try? device.control(id), !control.isInactive else { return nil }
        return try? device.value(of: control)
    }
}
