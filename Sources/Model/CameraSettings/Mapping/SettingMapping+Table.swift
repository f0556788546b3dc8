internal import CaptureModel

/// The table. `docs/settings.md` has the same rows, and a test compares the two.
extension SettingMapping {
    /// One row for each setting, in the order of ``CaptureSetting``.
    public static let all: [SettingMapping] = exposure + whiteBalance + lens + light + picture + stream

    /// Returns the row of a setting.
    static func of(_ setting: CaptureSetting) -> SettingMapping {
        all.first { $0.setting == setting } ?? SettingMapping(setting: setting, target: .none, needs: [], lost: "")
    }

    private static let exposureMode = ["auto_exposure", "exposure_auto"]
    private static let exposureTime = ["exposure_time_absolute", "exposure_absolute", "exposure"]
    private static let whiteBalanceMode = ["white_balance_automatic", "white_balance_temperature_auto"]

    private static let exposure = [
        SettingMapping(
            setting: .exposureMode,
            target: .modes(
                [
                    ModeValue(mode: .manual, values: [1]), ModeValue(mode: .shutterPriority, values: [2]),
                    ModeValue(mode: .auto, values: [0, 3]), ModeValue(mode: .aperturePriority, values: [3]),
                ],
                controls: exposureMode, lock: ModeLock(bit: 1, value: .exposureDuration)),
            needs: [],
            lost:
                "Where a camera has only aperture priority (3), as UVC webcams have, auto means that. Without 3a_lock, locked keeps the value that the driver reports, which need not be the one that the camera uses."
        ),
        SettingMapping(
            setting: .exposureDuration, target: .number(controls: exposureTime),
            needs: [ModeNeed(controls: exposureMode, values: [1, 2], isImplied: true)],
            lost:
                "exposure_time_absolute counts 100 µs, so shorter differences are lost. exposure counts the sensor's own unit, which V4L2 does not define. An exposure longer than the frame interval is cut or lowers the frame rate, as the camera decides."
        ),
        SettingMapping(
            setting: .exposureBias, target: .number(controls: ["auto_exposure_bias"]),
            needs: [ModeNeed(controls: exposureMode, values: [0, 3, 2], isImplied: false)],
            lost: "Only the entries of the driver's menu exist. It has no effect under manual exposure."),
        SettingMapping(
            setting: .exposurePointOfInterest, target: .none, needs: [],
            lost: "V4L2 has no control of a single value for a point; its region of interest is a compound control."),
        SettingMapping(
            setting: .iso, target: .number(controls: ["iso_sensitivity"]),
            needs: [ModeNeed(controls: ["iso_sensitivity_auto"], values: [0], isImplied: true)],
            lost: "Only the entries of the driver's menu exist. USB webcams have no such control."),
        SettingMapping(
            setting: .gain, target: .number(controls: ["gain", "analogue_gain"]),
            needs: [ModeNeed(controls: ["gain_automatic"], values: [0], isImplied: true)],
            lost:
                "V4L2 defines no unit: dB need a measured curve, or a driver that reports dB. A digital gain beside it stays as it is."
        ),
    ]

    private static let whiteBalance = [
        SettingMapping(
            setting: .whiteBalanceMode,
            target: .modes(
                [ModeValue(mode: .auto, values: [1]), ModeValue(mode: .manual, values: [0])],
                controls: whiteBalanceMode, lock: ModeLock(bit: 2, value: .whiteBalanceTemperature)),
            needs: [],
            lost:
                "Without 3a_lock, locked keeps the temperature that the driver reports, which need not be the one that the camera uses."
        ),
        SettingMapping(
            setting: .whiteBalanceTemperature, target: .number(controls: ["white_balance_temperature"]),
            needs: [ModeNeed(controls: whiteBalanceMode, values: [0], isImplied: true)],
            lost: "Cameras differ in what they call a temperature: equal values do not give equal colors."),
        SettingMapping(
            setting: .whiteBalanceTint, target: .none, needs: [],
            lost: "V4L2 has no control for it."),
        SettingMapping(
            setting: .whiteBalanceGains, target: .gains(red: ["red_balance"], blue: ["blue_balance"]),
            needs: [ModeNeed(controls: whiteBalanceMode, values: [0], isImplied: true)],
            lost:
                "V4L2 defines no unit: gains need measured curves of both controls. Green has no control, so only the ratios to green are set."
        ),
    ]

    private static let lens = [
        SettingMapping(
            setting: .focusMode,
            target: .modes(
                [
                    ModeValue(mode: .auto, values: [1]), ModeValue(mode: .manual, values: [0]),
                    ModeValue(mode: .once, values: [0], button: FocusControl.start),
                ],
                controls: FocusControl.continuous, lock: ModeLock(bit: 4, value: .lensPosition)),
            needs: [],
            lost:
                "USB webcams have no button to focus once. Whether focus is reached is known only where the driver has auto_focus_status. Without 3a_lock, locked keeps the position that the driver reports."
        ),
        SettingMapping(
            setting: .lensPosition, target: .lens(controls: [FocusControl.position]),
            needs: [ModeNeed(controls: FocusControl.continuous, values: [0], isImplied: true)],
            lost:
                "0 is near and 1 is far, linear in the driver's numbers, which V4L2 counts from far to near; no distance is defined."
        ),
        SettingMapping(
            setting: .focusPointOfInterest, target: .none, needs: [],
            lost: "V4L2 has no control of a single value for a point; its region of interest is a compound control."),
        SettingMapping(
            setting: .refocusOnSceneChange,
            target: .modes(
                [ModeValue(mode: .off, values: [0]), ModeValue(mode: .on, values: [1])],
                controls: [FocusControl.refocus], lock: nil),
            needs: [],
            lost:
                "A control of the camera's node, which presses auto_focus_start. V4L2 has nothing like it, and USB webcams have no such button."
        ),
        SettingMapping(
            setting: .zoomFactor, target: .number(controls: ["zoom_absolute"]), needs: [],
            lost: "V4L2 defines no unit: factors need a measured curve. There is no ramp."),
        SettingMapping(
            setting: .iris, target: .number(controls: ["iris_absolute"]),
            needs: [ModeNeed(controls: exposureMode, values: [3, 1], isImplied: true)],
            lost: "V4L2 defines no unit: f-numbers need a measured curve."),
        SettingMapping(
            setting: .pan, target: .number(controls: ["pan_absolute"]), needs: [],
            lost: "How long the movement takes is not reported."),
        SettingMapping(
            setting: .tilt, target: .number(controls: ["tilt_absolute"]), needs: [],
            lost: "How long the movement takes is not reported."),
    ]

    private static let light = [
        SettingMapping(
            setting: .torchLevel,
            target: .torch(
                mode: ["flash_led_mode", "led_mode"], intensity: ["flash_torch_intensity", "intensity_torch_mode"]),
            needs: [],
            lost:
                "Without a control for the intensity, the level is 0 % or 100 %. The level is a part of the largest current, not of the light."
        ),
        SettingMapping(
            setting: .powerLineFrequency,
            target: .modes(
                [
                    ModeValue(mode: .off, values: [0]), ModeValue(mode: .hertz50, values: [1]),
                    ModeValue(mode: .hertz60, values: [2]), ModeValue(mode: .auto, values: [3]),
                ], controls: ["power_line_frequency"], lock: nil),
            needs: [], lost: "Nothing."),
    ]

    private static let picture =
        [
            (.backlightCompensation, "backlight_compensation"), (.sharpness, "sharpness"), (.contrast, "contrast"),
            (.gamma, "gamma"), (.saturation, "saturation"),
        ].map { (setting: CaptureSetting, control: String) in
            SettingMapping(
                setting: setting, target: .number(controls: [control]), needs: [],
                lost: "V4L2 defines no unit, and cameras differ: equal values do not give equal pictures.")
        } + [
            SettingMapping(
                setting: .exposureDynamicFrameRate,
                target: .modes(
                    [ModeValue(mode: .off, values: [0]), ModeValue(mode: .on, values: [1])],
                    controls: ["exposure_dynamic_framerate", "exposure_auto_priority"], lock: nil),
                needs: [], lost: "How far the frame rate may fall is not reported.")
        ]

    private static let stream = [
        SettingMapping(
            setting: .format, target: .stream, needs: [],
            lost: "The camera is closed and opened again. Frame durations return to the default of the format."),
        SettingMapping(
            setting: .minimumFrameDuration, target: .stream, needs: [],
            lost:
                "V4L2 has one frame interval: the shortest that the format offers from the minimum on. Most drivers accept it only while the camera does not stream."
        ),
        SettingMapping(
            setting: .maximumFrameDuration, target: .stream, needs: [],
            lost: "As the minimum. Without a minimum, it is the longest interval that the format offers up to it."),
    ]
}

extension StandardUnit {
    /// By the name of the control, for the kinds of control that V4L2 prescribes.
    static let all: [String: StandardUnit] = [
        "exposure_time_absolute": StandardUnit(unit: .duration, countPerStep: 100_000),
        "exposure_absolute": StandardUnit(unit: .duration, countPerStep: 100_000),
        "auto_exposure_bias": StandardUnit(unit: .exposureValue, countPerStep: 1, isMenu: true),
        "iso_sensitivity": StandardUnit(unit: .iso, countPerStep: 1, isMenu: true),
        "white_balance_temperature": StandardUnit(unit: .kelvin, countPerStep: 1),
        "pan_absolute": StandardUnit(unit: .angle, countPerStep: 1),
        "tilt_absolute": StandardUnit(unit: .angle, countPerStep: 1),
    ]

    /// By the unit that a driver reports of a control.
    static let reported: [String: StandardUnit] = [
        "dB": StandardUnit(unit: .decibel, countPerStep: 1000),
        "0.001 dB": StandardUnit(unit: .decibel, countPerStep: 1),
    ]
}
