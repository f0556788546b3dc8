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
        #expect(second.changed == ["gain"], "15 is not a step of 10, so it is rounded on its way back")
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

/// A device with controls that behaves as a USB camera: exposure time counts only in manual mode, gain is rounded to its
/// step, and any call can be made to fail.
final class FakeControls: ControlAccess {
    enum ID {
        static let gain: UInt32 = 0x0098_0913
        static let reset: UInt32 = 0x0098_0918
        static let mode: UInt32 = 0x009a_0901
        static let exposure: UInt32 = 0x009a_0902
        static let serial: UInt32 = 0x009a_0903
        static let mask: UInt32 = 0x009a_091b
    }

    var values: [UInt32: Int64] = [ID.gain: 10, ID.mode: 0, ID.exposure: 156, ID.serial: 7, ID.mask: 0]
    /// Every call that set something, in order.
    private(set) var calls: [[String]] = []
    /// The control whose setting fails, after those before it in the same call have been set; and how often.
    var failing: (id: UInt32, errorNumber: Int32, times: Int)?
    /// Whether the device has gone: everything fails.
    var isGone = false

    private var all: [VideoControl] {
        [
            VideoControl(id: ID.gain, name: "Gain", kind: .integer, minimum: 0, maximum: 100, step: 10),
            VideoControl(id: ID.reset, name: "Pan Reset", kind: .button, isReadable: false),
            VideoControl(id: ID.mode, name: "Auto Exposure", kind: .menu, maximum: 3, defaultValue: 3),
            VideoControl(
                id: ID.exposure, name: "Exposure Time, Absolute", kind: .integer, minimum: 1, maximum: 5000,
                unit: "100 µs", isInactive: values[ID.mode] == 0),
            VideoControl(id: ID.serial, name: "Pixel Rate", kind: .integer64, maximum: 9, isWritable: false),
            VideoControl(id: ID.mask, name: "3A Lock", kind: .bitmask, maximum: 7),
        ]
    }

    func controls() throws(VideoError) -> [VideoControl] {
        try answer("VIDIOC_QUERY_EXT_CTRL")
        return all
    }

    func control(_ id: UInt32) throws(VideoError) -> VideoControl? {
        try controls().first { $0.id == id }
    }

    func menu(of control: VideoControl) throws(VideoError) -> [VideoMenuItem] {
        control.id == ID.mode ? [.init(index: 0, name: "Auto Mode"), .init(index: 1, name: "Manual Mode")] : []
    }

    func value(of control: VideoControl) throws(VideoError) -> Int64 {
        try answer("VIDIOC_G_EXT_CTRLS")
        return values[control.id] ?? 0
    }

    func setValues(_ assignments: [ControlAssignment]) throws(VideoError) {
        try answer("VIDIOC_S_EXT_CTRLS")
        calls.append(assignments.map { "\($0.control.key)=\($0.value)" })
        for assignment in assignments {
            let control = assignment.control
            if let failure = failing, failure.id == control.id, failure.times > 0 {
                failing?.times -= 1
                throw VideoError(
                    errorNumber: failure.errorNumber, operation: "VIDIOC_S_EXT_CTRLS", devicePath: "/dev/video9")
            }
            values[control.id] =
                control.kind == .integer
                ? assignment.value / Int64(control.step) * Int64(control.step)
                : assignment.value
        }
    }

    private func answer(_ operation: String) throws(VideoError) {
        if isGone { throw VideoError(errorNumber: ENODEV, operation: operation, devicePath: "/dev/video9") }
    }
}
