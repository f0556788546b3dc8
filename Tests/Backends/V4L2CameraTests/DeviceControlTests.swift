import CameraKit
import CaptureModel
import Glibc
import Testing
import Video4Linux

@testable import V4L2Camera

struct DeviceControlTests {
    @Test func aControlWouldLoseItsRangeMenuUnitOrValue() throws {
        let device = FakeControls()
        let controls = try DeviceControl.all(of: device)
        let byName = Dictionary(uniqueKeysWithValues: controls.map { ($0.name, $0) })
        #expect(
            byName["auto_exposure"]
                == DeviceControl(
                    name: "auto_exposure", kind: .menu, maximum: 3, defaultValue: 3,
                    menu: [.init(index: 0, name: "Auto Mode"), .init(index: 1, name: "Manual Mode")], value: 0))
        #expect(
            byName["exposure_time_absolute"]
                == DeviceControl(
                    name: "exposure_time_absolute", kind: .integer, minimum: 1, maximum: 5000, unit: "100 µs",
                    value: 156, isInactive: true))
        #expect(byName["gain"]?.step == 10)
        #expect(byName["pan_reset"]?.value == nil && byName["pan_reset"]?.kind == .button)
        #expect(byName["pixel_rate"]?.isReadOnly == true)
    }

    @Test func theExposureOfAnAutomaticWouldBeTakenForKnown() throws {
        let device = FakeControls()
        let controls = try SensorReading.Controls(of: device)
        #expect(!controls.isEmpty)
        func reading() -> SensorReading { SensorReading(of: device, controls) }
        #expect(reading().exposure == nil && reading().gain == 10)
        device.values[FakeControls.ID.mode] = 1
        #expect(reading().exposure == .microseconds(15_600))
        device.values[FakeControls.ID.exposure] = 0
        device.values[FakeControls.ID.gain] = 70
        #expect(reading().exposure == nil, "a time that is none")
        #expect(reading().gain == 70)
        device.isGone = true
        #expect(reading() == SensorReading())
    }

    @Test func aRefusedControlWouldBeCalledAForbiddenOrBrokenCamera() {
        let inactive = CameraError(ControlError(.inactive, "why"), device: "serial A")
        #expect(inactive.code == .unsupportedControl && inactive.reason.contains("nothing was changed"))
        #expect(CameraError(ControlError(.grabbed, "why"), device: "serial A").code == .busy)
        let gone = VideoError(errorNumber: ENODEV, operation: "VIDIOC_S_EXT_CTRLS", devicePath: "/dev/video9")
        let absent = CameraError(ControlError(.device(gone), "why", changed: ["gain"]), device: "serial A")
        #expect(absent.code == .absent && absent.reason.contains("may be changed: gain"))
    }
}
