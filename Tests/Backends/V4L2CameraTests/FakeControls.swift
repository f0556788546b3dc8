import Glibc
import Video4Linux

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
