import CaptureModel

/// The control values for a capture, derived from what the device reports.
///
/// Names are those of V4L2: `led_mode` of a flash with its torch mode, because a picture from a stream needs a steady light;
/// `exposure_time_absolute` in steps of 100 µs, which has effect if `auto_exposure` is 1 (manual); `gain`.
struct CaptureControls: Hashable, Sendable {
    /// The control of a flash: as the kernel names it ("LED Mode"), and as virtual cameras do.
    static let lights = ["led_mode", "flash_led_mode"]
    /// `V4L2_FLASH_LED_MODE_TORCH`.
    static let torch: Int64 = 2
    static let autoExposure = "auto_exposure"
    /// `V4L2_EXPOSURE_MANUAL`.
    static let manual: Int64 = 1
    static let exposure = "exposure_time_absolute"
    static let exposureUnit: Int64 = 100_000
    static let gain = "gain"

    let device: DeviceID
    private let controls: [String: DeviceControl]

    init(device: DeviceID, controls: [DeviceControl]) {
        self.device = device
        self.controls = Dictionary(controls.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns the values that light the scene.
    /// - Throws: `unsupportedSettings` if the device has no steady light.
    func lit() throws(RigProblem) -> [String: Int64] {
        let light = Self.lights.first { controls[$0] != nil } ?? Self.lights[0]
        try require(light, Self.torch, "its picture cannot be lit")
        return [light: Self.torch]
    }

    /// Returns the values for a step of a bracket.
    /// - Parameter interval: Time from frame to frame, the longest possible exposure in a stream.
    /// - Throws: `unsupportedSettings` if the device cannot do it.
    func values(of step: BracketStep, interval: Duration) throws(RigProblem) -> [String: Int64] {
        var values: [String: Int64] = [:]
        if let nanoseconds = step.exposureNanoseconds {
            guard nanoseconds <= interval.nanoseconds else {
                throw unsupported(
                    "an exposure of \(Duration.nanoseconds(nanoseconds).text) is longer than the stream's frame interval of \(interval.text)"
                )
            }
            let value = max((nanoseconds + Self.exposureUnit / 2) / Self.exposureUnit, 1)
            try require(Self.exposure, value, "its exposure cannot be set")
            values[Self.exposure] = value
            if let mode = controls[Self.autoExposure], mode.value != Self.manual {
                try require(Self.autoExposure, Self.manual, "its exposure cannot be set")
                values[Self.autoExposure] = Self.manual
            }
        }
        if let gain = step.gain {
            try require(Self.gain, gain, "its gain cannot be set")
            values[Self.gain] = gain
        }
        return values
    }

    /// Returns the values that undo settings of these controls: their present values. An exposure that the camera chose
    /// automatically is not put back, because the camera does not accept one in that mode.
    func undoing(_ names: some Sequence<String>) -> [String: Int64] {
        var values: [String: Int64] = [:]
        for name in Set(names) { values[name] = controls[name]?.value }
        if let mode = values[Self.autoExposure], mode != Self.manual { values[Self.exposure] = nil }
        return values
    }

    private func require(_ name: String, _ value: Int64, _ why: String) throws(RigProblem) {
        guard let control = controls[name], !control.isReadOnly else {
            throw unsupported("\(why): the device has no control '\(name)'")
        }
        let isInMenu = control.menu.isEmpty || control.menu.contains { $0.index == value }
        guard (control.minimum...max(control.minimum, control.maximum)).contains(value), isInMenu else {
            throw unsupported(
                "\(why): '\(name)' accepts \(control.minimum) to \(control.maximum), not \(value)")
        }
    }

    private func unsupported(_ reason: String) -> RigProblem {
        RigProblem(
            .unsupportedSettings,
            "\(device) does not support these photo settings (the device, not the configuration): \(reason); omit them"
        )
    }
}
