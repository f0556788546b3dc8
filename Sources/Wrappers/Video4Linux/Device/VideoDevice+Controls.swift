import CVideo4Linux
import Glibc

extension VideoDevice: ControlAccess {
    /// Every control with a single value, in the order of their ids (`VIDIOC_QUERY_EXT_CTRL`, Linux 3.17); none where
    /// the driver has none.
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
        return VideoControl.withUniqueKeys(controls)
    }

    /// The control of this id; nil where the device has none.
    public func control(_ id: UInt32) throws(VideoError) -> VideoControl? {
        var answer = cv4l_control()
        let errorNumber = unsafe cv4l_query_control(descriptor, id, &answer)
        if errorNumber == EINVAL || errorNumber == ENOTTY { return nil }
        try check(errorNumber, "VIDIOC_QUERY_EXT_CTRL")
        return VideoControl(answer)
    }

    /// The entries of a menu control by rising index; drivers leave gaps (`VIDIOC_QUERYMENU`).
    public func menu(of control: VideoControl) throws(VideoError) -> [VideoMenuItem] {
        guard control.kind.hasMenu else { return [] }
        var items: [VideoMenuItem] = []
        // The bound guards against a range that makes no sense.
        for index in Int64(0)..<1024 where index >= control.minimum && index <= control.maximum {
            var item = cv4l_menu_item()
            let errorNumber = unsafe cv4l_menu_item(
                descriptor, control.id, UInt32(index), control.kind == .integerMenu, &item)
            if errorNumber == EINVAL { continue }
            try check(errorNumber, "VIDIOC_QUERYMENU")
            items.append(VideoMenuItem(index: index, item, control.kind))
        }
        return items
    }

    /// The value of a control (`VIDIOC_G_EXT_CTRLS`); may wait for the hardware.
    public func value(of control: VideoControl) throws(VideoError) -> Int64 {
        var value: Int64 = 0
        try check(
            unsafe cv4l_get_control(descriptor, control.id, control.kind.rawValue, &value), "VIDIOC_G_EXT_CTRLS")
        // The bits of a bitmask fill 32 bits, the highest of which is no sign.
        return control.kind == .bitmask ? value & 0xFFFF_FFFF : value
    }

    /// Sets controls by one `VIDIOC_S_EXT_CTRLS`; may wait for the hardware. After a failure some may have been set.
    /// - Throws: ``VideoError``: `E2BIG` for more than 128, else what the driver says.
    public func setValues(_ assignments: [ControlAssignment]) throws(VideoError) {
        let values = assignments.map {
            cv4l_control_value(id: $0.control.id, type: $0.control.kind.rawValue, value: $0.value)
        }
        var errorIndex: UInt32 = 0
        let errorNumber = unsafe cv4l_set_controls(descriptor, values, UInt32(clamping: values.count), &errorIndex)
        guard errorNumber != 0 else { return }
        let refused = assignments.indices.contains(Int(errorIndex)) ? assignments[Int(errorIndex)].control.key : nil
        try check(errorNumber, "VIDIOC_S_EXT_CTRLS" + (refused.map { " \($0)" } ?? ""))
    }
}
