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
            condition: DeviceCondition(state: .running), authorization: .authorized, identity: "serial 7A",
            capabilities: DeviceCapabilities(
                formats: [FormatOffer(pixelFormat: .mjpeg, sizes: sizes)], controls: controls))
        #expect(
            DeviceDetailsReport(details: details).table == """
                device         n1/cam
                type           external, unspecified
                purpose        Front
                orientation    turned clockwise by 90 degrees, mirrored
                driver         v4l2
                hardware       C920
                identity       serial 7A
                authorization  authorized
                state          running

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
    }
}
