import CaptureModel

@testable import CameraSettings

/// Cameras as their drivers describe them.
enum SampleCameras {
    /// A USB webcam under automatic exposure, white balance and focus.
    static let webcam = SettableCamera(
        DeviceCapabilities(
            formats: [
                FormatOffer(
                    pixelFormat: .mjpeg,
                    sizes: [size(1280, 720, [16_666_666, 33_333_333]), size(640, 480, [33_333_333])]),
                FormatOffer(pixelFormat: .yuyv, sizes: [size(640, 480, [33_333_333, 66_666_666])]),
            ],
            controls: [
                number("brightness", 0, 255, value: 128), number("contrast", 0, 255, value: 32),
                number("saturation", 0, 100, step: 10, value: 60), number("sharpness", 0, 255, value: 22),
                number("gain", 0, 255, value: 64), number("backlight_compensation", 0, 1, value: 0),
                number("gamma", 72, 500, value: 100),
                menu("power_line_frequency", ["Disabled", "50 Hz", "60 Hz"], value: 2),
                flag("white_balance_automatic", 1),
                number("white_balance_temperature", 2000, 6500, step: 10, value: 4000, unit: "K", inactive: true),
                DeviceControl(
                    name: "auto_exposure", kind: .menu, maximum: 3, defaultValue: 3,
                    menu: [.init(index: 1, name: "Manual Mode"), .init(index: 3, name: "Aperture Priority Mode")],
                    value: 3),
                number("exposure_time_absolute", 1, 10_000, value: 156, unit: "100 µs", inactive: true),
                flag("exposure_dynamic_framerate", 0), flag("focus_automatic_continuous", 1),
                number("focus_absolute", 0, 250, step: 5, value: 50, inactive: true),
                number("zoom_absolute", 100, 500, value: 100),
                number("pan_absolute", -36_000, 36_000, step: 3600, value: 0, unit: "arc second"),
                number("tilt_absolute", -36_000, 36_000, step: 3600, value: 0, unit: "arc second"),
            ]),
        format: VideoFormat(
            pixelFormat: .mjpeg, width: 1280, height: 720, frameInterval: .nanoseconds(33_333_333)))

    /// A sensor behind a sub-device: everything is manual.
    static let sensor = SettableCamera(
        DeviceCapabilities(controls: [
            number("exposure", 4, 1100, value: 600), number("analogue_gain", 0, 978, value: 0),
            number("digital_gain", 256, 4095, value: 256), number("vertical_blanking", 4, 5000, value: 20),
            DeviceControl(name: "pixel_rate", kind: .integer, minimum: 1, maximum: 1, isReadOnly: true),
        ]))

    /// A camera with integer menus, a lock, a light and channel gains.
    static let module = SettableCamera(
        DeviceCapabilities(controls: [
            menu(
                "auto_exposure", ["Auto Mode", "Manual Mode", "Shutter Priority Mode", "Aperture Priority Mode"],
                value: 0),
            number("exposure_time_absolute", 1, 1000, value: 10, unit: "100 µs"),
            menu("auto_exposure_bias", ["-2000", "-1000", "0", "1000", "2000"], value: 2),
            menu("iso_sensitivity", ["100000", "200000", "400000", "800000"], value: 0),
            menu("iso_sensitivity_auto", ["Manual", "Auto"], value: 1),
            DeviceControl(name: "3a_lock", kind: .bitmask, maximum: 7, value: 4),
            menu("led_mode", ["Off", "Flash", "Torch"], value: 0),
            number("intensity_torch_mode", 0, 200, step: 10, value: 50), flag("white_balance_automatic", 1),
            number("red_balance", 0, 1000, value: 500), number("blue_balance", 0, 1000, value: 500),
            number("iris_absolute", 0, 10, value: 3),
        ]),
        peculiarities: CameraPeculiarities(
            match: CameraMatch(model: "Module"),
            curves: ["red_balance": balance, "blue_balance": balance].compactMapValues(\.self)))

    /// A gain of 1 to 4 relative to green.
    private static let balance = MeasuredCurve(
        .factor, [.init(raw: 100, count: 1000), .init(raw: 1000, count: 4000)])

    /// As `VirtualControl` describes the virtual camera's.
    static let virtual = SettableCamera(
        DeviceCapabilities(controls: [
            menu("auto_exposure", ["Auto Mode", "Manual Mode"], value: 1),
            number("exposure_time_absolute", 1, 100_000, value: 80, unit: "100 µs"),
            number("gain", -48, 48, value: 0, unit: "dB"), flag("white_balance_automatic", 1),
            number("white_balance_temperature", 2800, 10_000, value: 5500, unit: "K", inactive: true),
            flag("focus_automatic_continuous", 1), number("focus_absolute", 0, 250, value: 0, inactive: true),
            menu("flash_led_mode", ["Off", "Flash", "Torch"], value: 0),
            number("integer_64_bits", .min, .max, value: 0),
        ]))

    /// A GigE camera: its gain has thousandths of a decibel.
    static let industrial = SettableCamera(
        DeviceCapabilities(controls: [number("gain", 0, 24_000, value: 0, unit: "0.001 dB")]))

    /// A camera that focuses once, as its node describes it.
    static let focuser = SettableCamera(
        DeviceCapabilities(controls: [
            flag("focus_automatic_continuous", 1), number("focus_absolute", 0, 250, value: 50, inactive: true),
            DeviceControl(name: "auto_focus_start", kind: .button),
            DeviceControl(name: "auto_focus_status", kind: .bitmask, maximum: 7, value: 0, isReadOnly: true),
            DeviceControl(name: "3a_lock", kind: .bitmask, maximum: 7, value: 0), flag("refocus_on_scene_change", 0),
        ]))

    /// One that is always manual, and focuses when its button is pressed.
    static let button = SettableCamera(
        DeviceCapabilities(controls: [DeviceControl(name: "auto_focus_start", kind: .button)]))

    static let all = [webcam, sensor, module, virtual, industrial, focuser, button]

    static func number(
        _ name: String, _ minimum: Int64, _ maximum: Int64, step: Int64 = 1, value: Int64?, unit: String? = nil,
        inactive: Bool = false
    ) -> DeviceControl {
        DeviceControl(
            name: name, kind: .integer, minimum: minimum, maximum: maximum, step: step, defaultValue: value ?? 0,
            unit: unit, value: value, isInactive: inactive)
    }

    static func flag(_ name: String, _ value: Int64) -> DeviceControl {
        DeviceControl(name: name, kind: .boolean, maximum: 1, defaultValue: value, value: value)
    }

    static func menu(_ name: String, _ names: [String], value: Int64) -> DeviceControl {
        DeviceControl(
            name: name, kind: .menu, maximum: Int64(names.count) - 1, defaultValue: value,
            menu: names.enumerated().map { .init(index: Int64($0), name: $1) }, value: value)
    }

    private static func size(_ width: Int, _ height: Int, _ intervals: [Int64]) -> SizeOffer {
        SizeOffer(
            widths: PixelRange(width, width), heights: PixelRange(height, height),
            intervals: intervals.map { IntervalOffer(shortestNanoseconds: $0, longestNanoseconds: $0) })
    }
}

extension SettableCamera {
    /// Resolves a text.
    func plan(_ text: String) throws -> SettingsPlan { resolve(try CaptureSettings(parsing: text)) }

    /// The same camera with other values of some controls.
    func with(_ change: (inout DeviceControl) -> Void) -> SettableCamera {
        var capabilities = capabilities
        for index in capabilities.controls.indices { change(&capabilities.controls[index]) }
        return SettableCamera(capabilities, format: format, peculiarities: peculiarities)
    }
}

extension SettingsPlan {
    /// The driver's values in order, as `capctl devices set` takes them; `refused` if it is.
    var commands: String {
        change.map { $0.driverValues.map { "\($0.control)=\($0.value)" }.joined(separator: " ") } ?? "refused"
    }

    /// The outcomes in order: the value that is set, `≈` before a rounded one, or the reason of a refusal.
    var results: [String] {
        outcomes.map { outcome in
            switch outcome.result {
            case .set(let value): value.description
            case .rounded(let value): "≈\(value)"
            case .refused(let reason): "refused: \(reason)"
            }
        }
    }
}
