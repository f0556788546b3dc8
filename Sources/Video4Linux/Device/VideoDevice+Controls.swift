import CVideo4Linux
import Glibc

extension VideoDevice {
    /// Every control with a single value, in the order of their ids.
    public func controls() throws(VideoError) -> [VideoControl] {
        var controls: [VideoControl] = []
        var id: UInt32 = 0
        while true {
            var answer = cv4l_control()
            let errorNumber = unsafe cv4l_next_control(descriptor, id, &answer)
            // The ids must rise: a driver that repeats one would otherwise be asked for ever.
            if errorNumber == EINVAL || errorNumber == ENOTTY || (errorNumber == 0 && answer.id <= id) { break }
            try check(errorNumber, "VIDIOC_QUERY_EXT_CTRL")
            id = answer.id
            if let control = VideoControl(answer) { controls.append(control) }
        }
        return controls
    }

    /// The control of this id; nil where the device has none.
    public func control(_ id: UInt32) throws(VideoError) -> VideoControl? {
        var answer = cv4l_control()
        let errorNumber = unsafe cv4l_query_control(descriptor, id, &answer)
        if errorNumber == EINVAL || errorNumber == ENOTTY { return nil }
        try check(errorNumber, "VIDIOC_QUERY_EXT_CTRL")
        return VideoControl(answer)
    }

    /// The control of this name, as the driver spells it; nil where the device has none.
    public func control(named name: String) throws(VideoError) -> VideoControl? {
        try controls().first { $0.name == name }
    }

    /// The names of a menu control's entries by their value; drivers leave gaps.
    public func menu(of control: VideoControl) -> [Int64: String] {
        guard control.kind == .menu else { return [:] }
        var entries: [Int64: String] = [:]
        for index in (Int64(0)...255) where index >= control.minimum && index <= control.maximum {
            var name = [CChar](repeating: 0, count: 33)
            if unsafe cv4l_menu_name(descriptor, control.id, UInt32(index), &name) == 0 {
                let bytes = name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
                entries[index] = String(decoding: bytes, as: UTF8.self)
            }
        }
        return entries
    }

    /// The value of a control (`VIDIOC_G_EXT_CTRLS`); may wait for the hardware.
    public func value(of control: VideoControl) throws(VideoError) -> Int64 {
        var value: Int64 = 0
        try check(
            unsafe cv4l_get_control(descriptor, control.id, control.kind.rawValue, &value), "VIDIOC_G_EXT_CTRLS")
        return value
    }

    /// Sets a control (`VIDIOC_S_EXT_CTRLS`); may wait for the hardware.
    /// - Throws: ``VideoError``; `ERANGE` for a value outside the control's range.
    public func setValue(_ value: Int64, of control: VideoControl) throws(VideoError) {
        try check(
            cv4l_set_control(descriptor, control.id, control.kind.rawValue, value), "VIDIOC_S_EXT_CTRLS")
    }
}
