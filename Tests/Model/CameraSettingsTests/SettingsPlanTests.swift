import CaptureModel
import Testing

@testable import CameraSettings

@Suite struct SettingsPlanTests {
    @Test(
        "Translates requests to a webcam's controls, modes first",
        arguments: [
            ("exposure=8ms", "auto_exposure=1 exposure_time_absolute=80", "8ms"),
            ("exposure=1/60s", "auto_exposure=1 exposure_time_absolute=167", "≈16.7ms"),
            ("exposure=50us", "refused", "refused: it accepts 100us to 1s, not 50us"),
            ("exposure=raw:37", "auto_exposure=1 exposure_time_absolute=37", "raw:37"),
            ("exposure=100%", "auto_exposure=1 exposure_time_absolute=10000", "100%"),
            ("exposure=current", "auto_exposure=1 exposure_time_absolute=156", "15.6ms"),
            ("exposureMode=auto", "auto_exposure=3", "auto"),
            ("exposureMode=aperturePriority", "auto_exposure=3", "aperturePriority"),
            ("exposureMode=manual", "auto_exposure=1", "manual"), ("exposureMode=current", "auto_exposure=3", "auto"),
            ("exposureMode=locked", "auto_exposure=1 exposure_time_absolute=156", "locked"),
            (
                "exposureMode=shutterPriority", "refused",
                "refused: its control 'auto_exposure' has no such value; it accepts manual, auto, aperturePriority"
            ),
            ("gain=40%", "gain=102", "40%"), ("gain=raw:37", "gain=37", "raw:37"),
            ("gain=50%", "gain=128", "≈50.1961%"),
            (
                "gain=6dB", "refused",
                "refused: neither V4L2 nor a measured curve defines dB for its control 'gain'; use 0% to 100%, or raw:0 to raw:255"
            ),
            ("gain=raw:256", "refused", "refused: it accepts raw:0 to raw:255, not 256"),
            ("iso=400", "refused", "refused: the camera has no control iso_sensitivity"),
            ("wb=5204K", "white_balance_automatic=0 white_balance_temperature=5200", "≈5200K"),
            ("wb=raw:5206", "white_balance_automatic=0 white_balance_temperature=5210", "≈raw:5210"),
            ("whiteBalanceMode=auto", "white_balance_automatic=1", "auto"),
            ("whiteBalanceTint=5", "refused", "refused: V4L2 has no control for it."),
            (
                "focusPointOfInterest=0.5,0.25", "refused",
                "refused: V4L2 has no control of a single value for a point; its region of interest is a compound control."
            ),
            (
                "exposurePointOfInterest=0.5,0.25", "refused",
                "refused: V4L2 has no control of a single value for a point; its region of interest is a compound control."
            ),
            ("lensPosition=0", "focus_automatic_continuous=0 focus_absolute=250", "0%"),
            ("lensPosition=1", "focus_automatic_continuous=0 focus_absolute=0", "100%"),
            ("lensPosition=0.25", "focus_automatic_continuous=0 focus_absolute=190", "≈24%"),
            ("lensPosition=current", "focus_automatic_continuous=0 focus_absolute=50", "80%"),
            ("focusMode=locked", "focus_automatic_continuous=0 focus_absolute=50", "locked"),
            ("focusMode=once", "refused", "refused: the camera has no control auto_focus_start"),
            (
                "refocusOnSceneChange=on", "refused",
                "refused: the camera has no control auto_focus_start, with which it would focus"
            ),
            ("zoom=50%", "zoom_absolute=300", "50%"), ("pan=1.4deg", "pan_absolute=3600", "≈1deg"),
            ("tilt=-10deg", "tilt_absolute=-36000", "-10deg"),
            ("torch=1", "refused", "refused: the camera has no control of flash_led_mode, led_mode"),
            ("powerLineFrequency=50Hz", "power_line_frequency=1", "50Hz"),
            (
                "powerLineFrequency=auto", "refused",
                "refused: its control 'power_line_frequency' has no such value; it accepts off, 50Hz, 60Hz"
            ),
            ("exposureDynamicFrameRate=on", "exposure_dynamic_framerate=1", "on"),
            ("saturation=raw:100", "saturation=100", "raw:100"), ("backlight=100%", "backlight_compensation=1", "100%"),
            ("driver.brightness=3", "brightness=3", "raw:3"),
            ("driver.brightness=300", "refused", "refused: it accepts 0 to 255, not 300"),
            ("driver.nothing=1", "refused", "refused: the camera has no control nothing"),
        ])
    func webcam(_ text: String, _ commands: String, _ result: String) throws {
        let plan = try SampleCameras.webcam.plan(text)
        #expect(plan.commands == commands)
        #expect(plan.results == [result])
    }

    @Test(
        "Translates requests to a sensor's and a module's controls",
        arguments: [
            (SampleCameras.sensor, "exposure=50% gain=raw:100", "exposure=552 analogue_gain=100"),
            (SampleCameras.sensor, "exposureMode=manual", ""), (SampleCameras.sensor, "exposureMode=auto", "refused"),
            (SampleCameras.sensor, "exposure=8ms", "refused"), (SampleCameras.sensor, "driver.pixel_rate=1", "refused"),
            (SampleCameras.module, "bias=+0.6EV", "auto_exposure_bias=3"),
            (SampleCameras.module, "bias=3EV", "refused"),
            (SampleCameras.module, "iso=390", "iso_sensitivity_auto=0 iso_sensitivity=2"),
            (SampleCameras.module, "exposureMode=locked", "3a_lock=5"),
            (SampleCameras.module, "focusMode=locked", "3a_lock=4"),
            (SampleCameras.module, "whiteBalanceMode=locked exposureMode=locked", "3a_lock=7"),
            (SampleCameras.module, "whiteBalanceMode=auto", "white_balance_automatic=1"),
            (SampleCameras.module, "torch=0.5", "led_mode=2 intensity_torch_mode=100"),
            (SampleCameras.module, "torch=0", "led_mode=0"),
            (SampleCameras.module, "torch=raw:33", "led_mode=2 intensity_torch_mode=30"),
            (SampleCameras.module, "iris=30%", "auto_exposure=3 iris_absolute=3"),
            (
                SampleCameras.module, "iris=30% exposure=2ms",
                "auto_exposure=1 iris_absolute=3 exposure_time_absolute=20"
            ),
            (
                SampleCameras.module, "exposure=2ms iris=30% ",
                "auto_exposure=1 exposure_time_absolute=20 iris_absolute=3"
            ),
            (
                SampleCameras.module, "exposure=2ms bias=1EV",
                "auto_exposure=2 exposure_time_absolute=20 auto_exposure_bias=3"
            ),
            (SampleCameras.module, "exposure=2ms bias=1EV iris=0%", "refused"),
            (
                SampleCameras.module, "whiteBalanceGains=2,1,1.5",
                "white_balance_automatic=0 red_balance=400 blue_balance=250"
            ),
            (SampleCameras.module, "whiteBalanceGains=9,1,1", "refused"),
            (SampleCameras.virtual, "exposure=8ms gain=6dB", "auto_exposure=1 exposure_time_absolute=80 gain=6"),
            (SampleCameras.virtual, "gain=-48.0dB torch=1", "flash_led_mode=2 gain=-48"),
            (SampleCameras.industrial, "gain=6.25dB", "gain=6250"),
            (SampleCameras.industrial, "gain=50%", "gain=12000"),
            (
                SampleCameras.virtual, "wb=4000K lensPosition=0.2",
                "white_balance_automatic=0 focus_automatic_continuous=0 white_balance_temperature=4000 focus_absolute=200"
            ),
            (
                SampleCameras.virtual, "driver.integer_64_bits=-9223372036854775808",
                "integer_64_bits=-9223372036854775808"
            ),
        ])
    func others(_ camera: SettableCamera, _ text: String, _ commands: String) throws {
        #expect(try camera.plan(text).commands == commands)
    }

    @Test(
        "Focuses once by its button, with continuous focus off and unlocked",
        arguments: [
            ("focusMode=once", "focus_automatic_continuous=0 auto_focus_start=1"),
            ("refocusOnSceneChange=on focusMode=manual", "refocus_on_scene_change=1 focus_automatic_continuous=0"),
            ("focusMode=once lensPosition=0.5", "refused"), ("lensPosition=0.5 focusMode=once", "refused"),
            ("driver.focus_absolute=3 focusMode=once", "refused"),
            ("focusMode=once driver.focus_automatic_continuous=1", "refused"),
            ("focusMode=once minimumFrameDuration=40ms", "refused"), ("driver.auto_focus_status=2", "refused"),
        ])
    func focusesOnce(_ text: String, _ commands: String) throws {
        #expect(try SampleCameras.focuser.plan(text).commands == commands)
        let locked = SampleCameras.focuser.with { if $0.name == "3a_lock" { $0.value = 7 } }
        #expect(
            try locked.plan("focusMode=once").commands == "3a_lock=3 focus_automatic_continuous=0 auto_focus_start=1")
        #expect(try SampleCameras.button.plan("focusMode=once").commands == "auto_focus_start=1")
    }

    @Test("Does nothing at all if one of several settings is refused") func refusedAsAWhole() throws {
        let plan = try SampleCameras.webcam.plan("exposure=8ms gain=6dB wb=5200K")
        #expect(plan.isRefused && plan.change == nil)
        #expect(plan.outcomes.refusals.map(\.entry.name) == ["gain"])
        #expect(plan.results.first == "8ms" && plan.results.last == "5200K")
    }

    @Test(
        "Refuses settings that contradict each other",
        arguments: [
            "exposureMode=auto exposure=8ms", "exposure=8ms exposureMode=auto", "exposureMode=locked exposure=8ms",
            "whiteBalanceMode=auto wb=5200K", "focusMode=auto lensPosition=0", "driver.auto_exposure=3 exposure=8ms",
            "driver.gain=3 gain=raw:4", "driver.auto_exposure=1 exposureMode=auto",
        ])
    func contradictions(_ text: String) throws {
        #expect(try SampleCameras.webcam.plan(text).isRefused)
    }

    @Test("Accepts a mode and its value in either order") func order() throws {
        for text in [
            "exposureMode=manual exposure=8ms", "exposure=8ms exposureMode=manual",
            "driver.auto_exposure=1 exposure=8ms",
        ] {
            #expect(try SampleCameras.webcam.plan(text).commands == "auto_exposure=1 exposure_time_absolute=80")
        }
    }

    @Test("Says which modes a value switches, and what a lock rests on") func notes() throws {
        let implied = try SampleCameras.webcam.plan("exposure=50ms").change?.notes
        #expect(
            implied == [
                "exposureDuration sets 'auto_exposure' to 1",
                "an exposure of 50ms is longer than the frame interval of 33.3 ms: it is cut, or frames come later",
            ])
        let locked = try SampleCameras.webcam.plan("focusMode=locked").change?.notes
        #expect(
            locked == [
                "focusMode=locked sets 'focus_absolute' to 50, the value that the driver reports; check the picture"
            ])
    }

    @Test("Keeps a mode that leaves the value to the user") func presentMode() throws {
        let manual = SampleCameras.module.with { if $0.name == "auto_exposure" { $0.value = 1 } }
        #expect(try manual.plan("iris=30%").commands == "auto_exposure=1 iris_absolute=3")
        let shutter = SampleCameras.module.with { if $0.name == "auto_exposure" { $0.value = 2 } }
        #expect(try shutter.plan("exposure=2ms").commands == "auto_exposure=2 exposure_time_absolute=20")
    }

    @Test("Ends a lock before a value is set") func unlocking() throws {
        let locked = SampleCameras.module.with { if $0.name == "3a_lock" { $0.value = 7 } }
        #expect(try locked.plan("exposure=2ms").commands == "3a_lock=6 auto_exposure=1 exposure_time_absolute=20")
        #expect(try locked.plan("whiteBalanceMode=auto").commands == "3a_lock=5 white_balance_automatic=1")
        #expect(try locked.plan("driver.3a_lock=0 exposure=2ms").isRefused)
    }

    @Test("Refuses a value that another control makes ineffective") func inactive() throws {
        let camera = SampleCameras.webcam.with { $0.isInactive = $0.name == "sharpness" || $0.isInactive }
        #expect(try camera.plan("sharpness=50%").isRefused)
        #expect(
            try SampleCameras.module.with { if $0.name == "auto_exposure" { $0.value = 1 } }.plan("bias=1EV").isRefused)
    }

    @Test("Refuses the current value where it cannot be read") func unreadable() throws {
        let camera = SampleCameras.webcam.with { $0.value = nil }
        for text in ["gain=current", "exposureMode=current", "exposure=current"] {
            #expect(try camera.plan(text).isRefused)
        }
        #expect(try SampleCameras.sensor.plan("format=current").isRefused)
    }

    @Test(
        "Opens the stream again for formats and frame durations",
        arguments: [
            ("format=MJPG:640x480", "MJPG:640x480", nil), ("minimumFrameDuration=1/60s", nil, 16_666_666),
            ("minimumFrameDuration=20ms", nil, 33_333_333), ("maximumFrameDuration=40ms", nil, 33_333_333),
            ("maximumFrameDuration=20ms", nil, 16_666_666),
            ("format=YUYV:640x480 minimumFrameDuration=40ms maximumFrameDuration=70ms", "YUYV:640x480", 66_666_666),
        ] as [(String, String?, Int64?)])
    func stream(_ text: String, _ format: String?, _ interval: Int64?) throws {
        let change = try #require(try SampleCameras.webcam.plan(text).change)
        #expect(change.stream?.format?.description == format && change.stream?.frameIntervalNanoseconds == interval)
        #expect(change.driverValues.isEmpty)
    }

    @Test("Says that a format resets the frame durations") func resets() throws {
        let change = try SampleCameras.webcam.plan("format=MJPG:640x480").change
        #expect(change?.notes == ["format resets the frame durations to the default of the format"])
        let named = try SampleCameras.webcam.plan("format=MJPG:640x480 minimumFrameDuration=1/30s").change
        #expect(named?.notes == [] && named?.stream?.frameIntervalNanoseconds == 33_333_333)
    }

    @Test(
        "Refuses formats and frame durations that the camera does not offer",
        arguments: [
            "format=MJPG:641x480", "format=NV12:640x480", "minimumFrameDuration=1s", "maximumFrameDuration=1ms",
            "minimumFrameDuration=20ms maximumFrameDuration=30ms",
            "minimumFrameDuration=40ms maximumFrameDuration=10ms",
        ])
    func streamRefused(_ text: String) throws {
        #expect(try SampleCameras.webcam.plan(text).isRefused)
    }

    @Test("Follows measured curves, directions and delays of the camera's model") func peculiarities() throws {
        let gain = try #require(
            MeasuredCurve(
                .decibel, [.init(raw: 16, count: 0), .init(raw: 64, count: 12_000), .init(raw: 200, count: 20_000)]))
        let camera = SettableCamera(
            SampleCameras.webcam.capabilities,
            peculiarities: CameraPeculiarities(
                match: CameraMatch(model: "C920"), curves: ["gain": gain], inverted: ["focus_absolute"],
                delays: ["gain": try #require(FrameDelay(fewest: 2, most: 3))]))
        #expect(try camera.plan("gain=6dB").commands == "gain=40")
        #expect(try camera.plan("gain=6.1dB").results == ["≈6dB"])
        #expect(try camera.plan("gain=21dB").results == ["refused: it accepts 0dB to 20dB, not 21dB"])
        #expect(try camera.plan("gain=raw:255").commands == "gain=255")
        #expect(try camera.plan("lensPosition=0").commands == "focus_automatic_continuous=0 focus_absolute=0")
        #expect(try camera.plan("gain=6dB").change?.driverValues.first?.delay == FrameDelay(fewest: 2, most: 3))
        #expect(camera.current(.gain)?.description == "12dB")
    }
}
