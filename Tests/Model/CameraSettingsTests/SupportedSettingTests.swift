import CaptureModel
import Testing

@testable import CameraSettings

@Suite struct SupportedSettingTests {
    /// Returns the supported setting as text: current value, range, step and controls.
    private static func text(_ setting: CaptureSetting, _ camera: SettableCamera) throws -> String {
        let supported = try #require(camera.supportedSettings.first { $0.setting == setting })
        if let obstacle = supported.obstacle { return "no: " + obstacle }
        let range = [supported.minimum, supported.maximum].compactMap { $0?.description }.joined(separator: "…")
        let choices = supported.choices.map(\.description).joined(separator: " ")
        return [
            supported.current?.description ?? "?", choices.isEmpty ? range : choices,
            supported.step?.description ?? "-",
            supported.unit?.rawValue ?? "-", supported.controls.joined(separator: " "),
        ].joined(separator: ", ")
    }

    @Test(
        "Describes what a webcam supports, in units where there are any",
        arguments: [
            (.exposureMode, "auto, manual auto aperturePriority locked, -, -, auto_exposure"),
            (.exposureDuration, "15.6ms, 100us…1s, 100us, s, exposure_time_absolute"),
            (.gain, "raw:64, raw:0…raw:255, raw:1, -, gain"),
            (.whiteBalanceTemperature, "4000K, 2000K…6500K, 10K, K, white_balance_temperature"),
            (.lensPosition, "80%, 0%…100%, 2%, -, focus_absolute"),
            (.pan, "0deg, -10deg…10deg, 1deg, deg, pan_absolute"),
            (.powerLineFrequency, "60Hz, off 50Hz 60Hz, -, -, power_line_frequency"),
            (.format, "MJPG:1280x720, MJPG:1280x720 MJPG:640x480 YUYV:640x480, -, -, "),
            (.minimumFrameDuration, "33.333333ms, 16.666666ms…33.333333ms, -, s, "),
            (.iso, "no: the camera has no control iso_sensitivity"),
            (.whiteBalanceTint, "no: V4L2 has no control for it."),
        ] as [(CaptureSetting, String)])
    func webcam(_ setting: CaptureSetting, _ text: String) throws {
        #expect(try Self.text(setting, SampleCameras.webcam) == text)
    }

    @Test(
        "Describes menus of numbers, locks, lights and measured gains",
        arguments: [
            (.exposureMode, "auto, manual shutterPriority auto aperturePriority locked, -, -, auto_exposure 3a_lock"),
            (.focusMode, "no: the camera has no control focus_automatic_continuous, focus_auto"),
            (.exposureBias, "0EV, -2EV -1EV 0EV +1EV +2EV, -, EV, auto_exposure_bias"),
            (.iso, "100, 100 200 400 800, -, ISO, iso_sensitivity"),
            (.torchLevel, "0%, 0%…100%, -, -, led_mode intensity_torch_mode"),
            (.whiteBalanceGains, "2.333,1,2.333, , -, -, red_balance blue_balance"),
            (.iris, "raw:3, raw:0…raw:10, raw:1, -, iris_absolute"),
        ] as [(CaptureSetting, String)])
    func module(_ setting: CaptureSetting, _ text: String) throws {
        #expect(try Self.text(setting, SampleCameras.module) == text)
    }

    @Test(
        "Describes a camera that focuses once",
        arguments: [
            (.focusMode, "auto, auto manual locked once, -, -, focus_automatic_continuous 3a_lock auto_focus_start"),
            (.refocusOnSceneChange, "off, off on, -, -, refocus_on_scene_change"),
        ] as [(CaptureSetting, String)])
    func focuser(_ setting: CaptureSetting, _ text: String) throws {
        #expect(try Self.text(setting, SampleCameras.focuser) == text)
    }

    @Test("Gives a reason for every setting that a camera without controls does not support") func nothing() {
        let supported = SettableCamera(DeviceCapabilities()).supportedSettings
        #expect(supported.map(\.setting) == CaptureSetting.allCases)
        #expect(supported.allSatisfy { $0.obstacle?.isEmpty == false })
    }

    @Test("Supports exactly what it also accepts") func agreement() throws {
        for camera in SampleCameras.all {
            for supported in camera.supportedSettings {
                for value in supported.choices + [supported.minimum, supported.maximum].compactMap(\.self) {
                    var settings = CaptureSettings()
                    try settings.add(.setting(try #require(SettingRequest(supported.setting, value))))
                    let isAlone =
                        supported.setting == .minimumFrameDuration || supported.setting == .maximumFrameDuration
                    guard !isAlone else { continue }
                    #expect(
                        camera.resolve(settings).outcomes.first?.result == .set(value), "\(supported.setting)=\(value)")
                }
                guard !supported.isSupported, let request = SettingRequest(supported.setting, .current) else {
                    continue
                }
                var settings = CaptureSettings()
                try settings.add(.setting(request))
                #expect(camera.resolve(settings).isRefused, "\(request)")
            }
        }
    }
}
