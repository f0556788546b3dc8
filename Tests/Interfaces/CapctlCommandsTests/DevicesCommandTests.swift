import ArgumentParser
import CaptureModel
import Testing

@testable import CapctlCommands

@Suite struct DevicesCommandTests {
    @Test func controlsAreReadFromTheCommandLineAsTheyStand() throws {
        let command = try #require(
            try Capctl.parseAsRoot(["devices", "set", "n1/cam", "gain=-3", "3a_lock=0x5", "menu=2"])
                as? DevicesSetCommand)
        #expect(command.values.map(\.name) == ["gain", "3a_lock", "menu"])
        #expect(command.values.map(\.value) == [-3, 5, 2])
    }

    @Test(arguments: ["gain", "gain=", "=3", "gain=1.5", "gain=1=2", "gain=99999999999999999999", "gain=0xZZ"])
    func aMistypedControlIsNotSent(_ text: String) {
        #expect(throws: (any Error).self) { try Capctl.parseAsRoot(["devices", "set", "n1/cam", text]) }
    }

    @Test func oneControlWithTwoValuesIsNotSent() {
        #expect(throws: (any Error).self) { try Capctl.parseAsRoot(["devices", "set", "n1/cam", "gain=1", "gain=2"]) }
    }

    @Test func aDeviceReadsWithItsFormatsAndControls() throws {
        let sizes = [
            SizeOffer(
                widths: PixelRange(640, 640), heights: PixelRange(480, 480),
                intervals: [
                    IntervalOffer(shortestNanoseconds: 33_333_333, longestNanoseconds: 33_333_333),
                    IntervalOffer(shortestNanoseconds: 80_000_000, longestNanoseconds: 1_000_000_000),
                ]),
            SizeOffer(
                widths: PixelRange(16, 1920, step: 8), heights: PixelRange(16, 1080, step: 2), intervals: [],
                isMadeToOrder: true),
        ]
        let controls = [
            DeviceControl(
                name: "exposure_time_absolute", kind: .integer, minimum: 1, maximum: 5000, defaultValue: 156,
                unit: "100 µs", value: 250, isInactive: true),
            DeviceControl(
                name: "auto_exposure", kind: .menu, maximum: 1,
                menu: [.init(index: 0, name: "Auto\u{1B}Mode"), .init(index: 1, name: "Manual Mode")], value: 1),
            DeviceControl(name: "pan_reset", kind: .button),
        ]
        let details = DeviceDetails(
            device: DeviceDescription(
                id: try DeviceID("n1/cam"), purpose: "Front", orientation: .degrees90, mirrored: true, driver: "v4l2",
                model: "C920"),
            condition: DeviceCondition(
                state: .running, stamps: CameraStamps(.startOfExposure, correction: StampCorrection())),
            authorization: .authorized, identity: "serial 7A",
            capabilities: DeviceCapabilities(
                formats: [FormatOffer(pixelFormat: .mjpeg, sizes: sizes)], controls: controls))
        #expect(
            DeviceDetailsReport(details: details).table(TextLayout(isWide: true)) == """
                device         n1/cam: external, unspecified
                purpose        Front
                orientation    turned clockwise by 90 degrees, mirrored
                hardware       C920, driver v4l2
                identity       serial 7A
                authorization  authorized
                state          running
                stamps         the driver's, of the start of exposure; the latency was not measured: `capctl sync calibrate`

                FORMAT  SIZE                                               FRAMES PER SECOND
                MJPG    640x480                                            30, 1 to 12.5
                MJPG    16x16 to 1920x1080 in steps of 8x2, made to order  unknown

                SETTING               CURRENT  RANGE                          STEP  UNIT  CONTROL
                exposureMode           manual  manual, auto, locked              -        auto_exposure
                exposureDuration         25ms  100us to 500ms                100us  s     exposure_time_absolute
                format                      -  MJPG:640x480, MJPG:1920x1080      -        the stream
                minimumFrameDuration        -  33.333333ms to 1s                 -  s     the stream
                maximumFrameDuration        -  33.333333ms to 1s                 -  s     the stream
                not supported: exposureBias exposurePointOfInterest iso gain whiteBalanceMode \
                whiteBalanceTemperature whiteBalanceTint whiteBalanceGains focusMode lensPosition \
                focusPointOfInterest refocusOnSceneChange zoomFactor iris pan tilt torchLevel powerLineFrequency \
                backlightCompensation sharpness contrast gamma saturation exposureDynamicFrameRate

                CONTROL                 VALUE  DEFAULT  RANGE                       UNIT    NOTE
                exposure_time_absolute    250      156  1 to 5000                   100 µs  no effect with the values of other controls
                auto_exposure               1        0  0 Auto Mode, 1 Manual Mode
                pan_reset                   -        -  button

                """)
        #expect(
            DeviceDetailsReport(details: details).table == """
                device         n1/cam: external, unspecified
                purpose        Front
                orientation    turned clockwise by 90 degrees, mirrored
                hardware       C920, driver v4l2
                identity       serial 7A
                state          running
                stamps         the driver's, of the start of exposure; the latency was not measured: `capctl sync calibrate`
                formats        MJPG up to 1920x1080
                exposure       exposureMode manual, exposure 25 ms (100 us to 500 ms)
                stream         format, minimumFrameDuration (33.333333 ms to 1 s), maximumFrameDuration (33.333333 ms to 1 s)
                -o wide lists 2 sizes and 3 controls

                """)
    }

    /// A camera with what many webcams have: two formats of ten sizes, and 17 controls.
    private func ordinaryCamera() throws -> DeviceDetails {
        let sizes = [160, 320, 352, 432, 640, 800, 864, 1024, 1280, 1920].map { width in
            SizeOffer(
                widths: PixelRange(width, width), heights: PixelRange(width * 9 / 16, width * 9 / 16),
                intervals: [30, 24, 20, 15, 10].map { rate in
                    IntervalOffer(shortestNanoseconds: 1_000_000_000 / rate, longestNanoseconds: 1_000_000_000 / rate)
                })
        }
        func number(_ name: String, _ minimum: Int64, _ maximum: Int64, unit: String? = nil) -> DeviceControl {
            DeviceControl(
                name: name, kind: .integer, minimum: minimum, maximum: maximum, defaultValue: minimum, unit: unit,
                value: minimum)
        }
        func menu(_ name: String, _ entries: [String]) -> DeviceControl {
            DeviceControl(
                name: name, kind: .menu, maximum: Int64(entries.count - 1),
                menu: entries.enumerated().map { .init(index: Int64($0.offset), name: $0.element) }, value: 0)
        }
        let controls = [
            number("brightness", 0, 255), number("contrast", 0, 255), number("saturation", 0, 255),
            DeviceControl(name: "white_balance_automatic", kind: .boolean, maximum: 1, value: 1),
            number("gain", 0, 255),
            menu("power_line_frequency", ["Disabled", "50 Hz", "60 Hz"]),
            number("white_balance_temperature", 2000, 6500), number("sharpness", 0, 255),
            number("backlight_compensation", 0, 1),
            menu("auto_exposure", ["Auto Mode", "Manual Mode", "Shutter Priority Mode", "Aperture Priority Mode"]),
            number("exposure_time_absolute", 3, 2047, unit: "100 µs"),
            DeviceControl(name: "exposure_dynamic_framerate", kind: .boolean, maximum: 1, value: 0),
            number("pan_absolute", -36000, 36000), number("tilt_absolute", -36000, 36000),
            number("focus_absolute", 0, 250),
            DeviceControl(name: "focus_automatic_continuous", kind: .boolean, maximum: 1, value: 0),
            number("zoom_absolute", 100, 500),
        ]
        var session = SessionCondition(phase: .running, readiness: .ready)
        session.abilities.raw = .refused(
            "its node's configuration does not enable RAW for this camera, which has no mosaic")
        return DeviceDetails(
            device: DeviceDescription(
                id: try DeviceID("left-arm/front"), type: .wide, position: Position(rawValue: "left"),
                labels: ["portrait", "arm"], purpose: "Left view", driver: "v4l2", make: "Logitech",
                model: "HD Pro Webcam C920", serial: "7AE1B0CF"),
            condition: DeviceCondition(
                state: .running,
                format: VideoFormat(pixelFormat: .mjpeg, width: 1280, height: 720, frameInterval: .milliseconds(40)),
                session: session),
            authorization: .authorized, identity: "usb:046d:082d:7AE1B0CF",
            capabilities: DeviceCapabilities(
                formats: [
                    FormatOffer(pixelFormat: .mjpeg, sizes: sizes), FormatOffer(pixelFormat: .yuyv, sizes: sizes),
                ], controls: controls))
    }

    @Test func `An ordinary camera fits a screen of 24 lines of 80 columns, with all its settings`() throws {
        let report = DeviceDetailsReport(details: try ordinaryCamera())
        let screen = report.table(TextLayout(width: 80)).split(separator: "\n")
        #expect(screen.count < 24 && screen.allSatisfy { $0.count <= 80 }, "\(screen.joined(separator: "\n"))")
        let text = report.table
        for part in [
            "exposureMode auto", "wb 2000 K (2000 K to 6500 K)", "focusMode manual", "zoom", "pan",
            "powerLineFrequency off",
            "sharpness", "MJPG up to 1920x1080", "-o wide lists 20 sizes and 17 controls",
        ] { #expect(text.contains(part), "\(part): \(text)") }
        #expect(report.table(TextLayout(isWide: true)).contains("exposure_time_absolute"))
    }
}
