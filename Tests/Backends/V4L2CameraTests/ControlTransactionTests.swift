import Glibc
import Testing

@testable import Video4Linux

struct ControlTransactionTests {
    private typealias ID = FakeControls.ID

    private func refusal(_ request: [String: Int64], on device: FakeControls) throws -> ControlError {
        try #require(
            #expect(throws: ControlError.self) { try ControlTransaction(request, on: device).apply(to: device) })
    }

    @Test func anExposureSetTogetherWithManualModeWouldBeIgnoredOrRefused() throws {
        let device = FakeControls()
        let request: [String: Int64] = ["exposure_time_absolute": 200, "auto_exposure": 1, "gain": 37, "pan_reset": 1]
        let result = try ControlTransaction(request, on: device).apply(to: device)
        #expect(device.calls == [["auto_exposure=1"], ["exposure_time_absolute=200", "gain=37"], ["pan_reset=1"]])
        #expect(result == ["exposure_time_absolute": 200, "auto_exposure": 1, "gain": 30])
    }

    @Test func anExposureSetUnderAutomaticWouldLookAccepted() throws {
        let device = FakeControls()
        let error = try refusal(["exposure_time_absolute": 200, "gain": 50], on: device)
        #expect(error.cause == .inactive)
        #expect(
            error.description.contains("'exposure_time_absolute'") && error.description.contains("nothing was changed"))
        #expect(device.values[ID.gain] == 10 && device.values[ID.exposure] == 156)
    }

    @Test func aCameraThatRefusesTheLastValueWouldKeepTheFirst() throws {
        let device = FakeControls()
        device.failing = (ID.gain, EIO, 1)
        let error = try refusal(["exposure_time_absolute": 200, "auto_exposure": 1, "gain": 50], on: device)
        #expect(
            error.cause == .device(.init(errorNumber: EIO, operation: "VIDIOC_S_EXT_CTRLS", devicePath: "/dev/video9")))
        #expect(error.changed.isEmpty)
        #expect(device.values == FakeControls().values)
        // Values before modes: under automatic exposure the old exposure time could not be restored.
        #expect(device.calls.suffix(2) == [["exposure_time_absolute=156", "gain=10"], ["auto_exposure=0"]])
    }

    @Test func aValueThatCouldNotBePutBackWouldBeKeptSecret() throws {
        let device = FakeControls()
        device.values[ID.mode] = 1
        // The call fails, and so do both tries to put the gain back.
        device.failing = (ID.gain, EIO, 3)
        device.values[ID.gain] = 15
        let error = try refusal(["3a_lock": 5, "gain": 50], on: device)
        #expect(device.values[ID.mask] == 0, "what can be put back is")
        #expect(error.changed.isEmpty, "the gain never changed")
        device.failing = (ID.reset, EIO, 1)
        let second = try refusal(["gain": 50, "pan_reset": 1], on: device)
        #expect(second.changed == ["gain"], "15 is no step of 10, so it is rounded on its way back")
        #expect(second.description.contains("may be changed: gain"))
    }

    @Test(
        arguments: [
            (["no_such": 1], ControlError.Cause.unknown, "there are gain, pan_reset, auto_exposure"),
            (["pixel_rate": 1], .readOnly, "'pixel_rate'"), (["gain": 101], .badValue, "0 to 100"),
            (["gain": Int64.max], .badValue, "0 to 100"), (["gain": Int64.min], .badValue, "0 to 100"),
            (["auto_exposure": 3], .badValue, "0 (Auto Mode), 1 (Manual Mode)"),
            (["3a_lock": 8], .badValue, "0x7"), (["3a_lock": -1], .badValue, "0x7"),
            (["auto_exposure": 1, "exposure_time_absolute": 0], .badValue, "1 to 5000 (× 100 µs)"),
        ] as [([String: Int64], ControlError.Cause, String)])
    func aWrongRequestWouldReachTheCamera(_ request: [String: Int64], _ cause: ControlError.Cause, _ words: String)
        throws
    {
        let device = FakeControls()
        let error = try refusal(request, on: device)
        #expect(error.cause == cause)
        #expect(error.description.contains(words), "\(error)")
        #expect(device.calls.isEmpty)
    }

    @Test(arguments: [(EACCES, ControlError.Cause.inactive), (ERANGE, .badValue), (EBUSY, .grabbed)])
    func aDriversRefusalOfAValueWouldBeTakenForAForbiddenCamera(_ code: Int32, _ cause: ControlError.Cause) throws {
        let device = FakeControls()
        device.failing = (ID.gain, code, 1)
        #expect(try refusal(["gain": 50], on: device).cause == cause)
    }

    @Test func anUnpluggedCameraWouldTrapOrPassForOneWithoutControls() throws {
        let device = FakeControls()
        let transaction = try ControlTransaction(["gain": 50], on: device)
        device.isGone = true
        let error = #expect(throws: ControlError.self) { try transaction.apply(to: device) }
        guard case .device(let cause) = error?.cause else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(cause.errorNumber == ENODEV)
    }

    @Test func nothingAskedForWouldBeAFailure() throws {
        let device = FakeControls()
        #expect(try ControlTransaction([:], on: device).apply(to: device).isEmpty)
        #expect(device.calls.isEmpty)
    }

    @Test(
        arguments: [
            ("Exposure Time, Absolute", "exposure_time_absolute"),
            ("White Balance, Auto & Preset", "white_balance_auto_preset"),
            ("  3A Lock (x) ", "3a_lock_x"), ("Größe", "gr_e"), ("", ""),
        ])
    func aControlWouldHaveAnotherNameThanInOtherPrograms(_ name: String, _ key: String) {
        #expect(VideoControl(id: 1, name: name, kind: .integer).key == key)
    }

    @Test func oneOfTwoControlsOfOneNameWouldBeOutOfReach() {
        let controls = [1, 0x98_0900, 0x98_0901].map { VideoControl(id: $0, name: "LED", kind: .boolean) }
        #expect(VideoControl.withUniqueKeys(controls).map(\.key) == ["led", "led_980900", "led_980901"])
        #expect(VideoControl.withUniqueKeys([VideoControl(id: 255, name: "?", kind: .boolean)])[0].key == "control_ff")
    }
}
