import CVideo4Linux

/// A control of a device, such as exposure, gain or focus (`VIDIOC_QUERY_EXT_CTRL`).
public struct VideoControl: Hashable, Sendable {
    /// The meaning of a control's value. The numbers are `V4L2_CTRL_TYPE_*`.
    public enum Kind: UInt32, Hashable, Sendable {
        case integer = 1
        case boolean = 2
        /// An index into named entries.
        case menu = 3
        /// Performs an action when it is written.
        case button = 4
        case integer64 = 5
        /// Any combination of the bits of `maximum`.
        case bitmask = 8
        /// An index into numeric entries.
        case integerMenu = 9

        /// Whether a value is the number of a menu's entry.
        public var hasMenu: Bool { self == .menu || self == .integerMenu }
    }

    /// `V4L2_CID_*`.
    public var id: UInt32
    /// The driver's name for the control, such as `Exposure Time, Absolute`.
    public var name: String
    /// The name as `v4l2-ctl` writes it, such as `exposure_time_absolute`. Unique among a device's controls.
    public var key: String
    public var kind: Kind
    public var minimum: Int64
    public var maximum: Int64
    public var step: UInt64
    public var defaultValue: Int64
    /// The size of a step of 1, if the V4L2 documentation defines it, such as `100 µs`; for an integer menu, the unit of its numbers.
    public var unit: String?
    /// Whether another control, such as automatic exposure, determines this one's value.
    public var isInactive: Bool
    /// Whether the control cannot be set in the current state, for example while the device streams (`V4L2_CTRL_FLAG_GRABBED`).
    public var isGrabbed: Bool
    public var isReadable: Bool
    public var isWritable: Bool

    public init(
        id: UInt32, name: String, kind: Kind, minimum: Int64 = 0, maximum: Int64 = 0, step: UInt64 = 1,
        defaultValue: Int64 = 0, unit: String? = nil, isInactive: Bool = false, isGrabbed: Bool = false,
        isReadable: Bool = true, isWritable: Bool = true
    ) {
        self.id = id
        self.name = name
        key = Self.key(of: name)
        self.kind = kind
        self.minimum = minimum
        self.maximum = maximum
        self.step = step
        self.defaultValue = defaultValue
        self.unit = unit
        self.isInactive = isInactive
        self.isGrabbed = isGrabbed
        self.isReadable = isReadable
        self.isWritable = isWritable
    }

    /// nil for controls of compound types and class headings, which have no single value, and for disabled ones.
    init?(_ control: cv4l_control) {
        let noValue = UInt32(CV4L_CTRL_FLAG_HAS_PAYLOAD | CV4L_CTRL_FLAG_DISABLED)
        guard let kind = Kind(rawValue: control.type), control.flags & noValue == 0 else { return nil }
        func has(_ flag: Int) -> Bool { control.flags & UInt32(flag) != 0 }
        self.init(
            id: control.id, name: fixedText(control.name), kind: kind, minimum: control.minimum,
            maximum: control.maximum, step: control.step, defaultValue: control.default_value,
            unit: unsafe cv4l_control_unit(control.id).map { unsafe String(cString: $0) },
            isInactive: has(CV4L_CTRL_FLAG_INACTIVE), isGrabbed: has(CV4L_CTRL_FLAG_GRABBED),
            isReadable: !has(CV4L_CTRL_FLAG_WRITE_ONLY) && kind != .button, isWritable: !has(CV4L_CTRL_FLAG_READ_ONLY))
    }

    /// `V4L2_CID_EXPOSURE_ABSOLUTE`: the exposure time in units of 100 microseconds.
    public static let exposureAbsolute = UInt32(CV4L_CID_EXPOSURE_ABSOLUTE)

    /// `V4L2_CID_GAIN` and `V4L2_CID_ANALOGUE_GAIN`: amplification, in the driver's units.
    public static let gains = [UInt32(CV4L_CID_GAIN), UInt32(CV4L_CID_ANALOGUE_GAIN)]

    /// `V4L2_CID_EXPOSURE`: of a sensor, the exposure time in lines.
    public static let exposureLines = UInt32(CV4L_CID_EXPOSURE)

    /// `V4L2_CID_VBLANK`: the lines of a sensor's frame that have no picture.
    public static let verticalBlanking = UInt32(CV4L_CID_VBLANK)

    /// `V4L2_CID_HBLANK`: the pixels of a sensor's line that have no picture.
    public static let horizontalBlanking = UInt32(CV4L_CID_HBLANK)

    /// `V4L2_CID_PIXEL_RATE`: pixels per second, with those that have no picture.
    public static let pixelRate = UInt32(CV4L_CID_PIXEL_RATE)

    /// Returns a driver's name in lower case, with one underscore for each sequence of characters other than letters and digits.
    static func key(of name: String) -> String {
        let words = name.utf8.split { byte in
            !(byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z"))
                && !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        }
        return words.map { String(decoding: $0, as: UTF8.self).lowercased() }.joined(separator: "_")
    }

    /// Makes keys unique: appends the id to all but the first control of a key, and to those without a name.
    static func withUniqueKeys(_ controls: [VideoControl]) -> [VideoControl] {
        var taken: Set<String> = []
        return controls.map { control in
            var control = control
            if control.key.isEmpty { control.key = "control" }
            if control.key == "control" || !taken.insert(control.key).inserted {
                control.key += "_" + String(control.id, radix: 16)
                taken.insert(control.key)
            }
            return control
        }
    }
}

extension VideoControl {
    /// Checks whether the control accepts a value in any state of other controls.
    /// - Parameter menu: The control's entries, if it has a menu.
    /// - Throws: ``ControlError`` that states the accepted values.
    func check(_ value: Int64, _ menu: [VideoMenuItem]) throws(ControlError) {
        guard isWritable else { throw ControlError(.readOnly, "'\(key)' can be read but not set") }
        guard !isGrabbed else {
            throw ControlError(
                .grabbed, "'\(key)' cannot be set in the current state, such as while the camera streams")
        }
        guard !accepts(value, menu) else { return }
        throw ControlError(.badValue, "'\(key)' does not accept \(value); it accepts \(domain(menu))")
    }

    private func accepts(_ value: Int64, _ menu: [VideoMenuItem]) -> Bool {
        switch kind {
        case .button: true
        case .menu, .integerMenu: menu.contains { $0.index == value }
        case .bitmask: value >= 0 && value & ~maximum & 0xFFFF_FFFF == 0 && value <= 0xFFFF_FFFF
        case .integer, .boolean, .integer64: value >= minimum && value <= maximum
        }
    }

    private func domain(_ menu: [VideoMenuItem]) -> String {
        switch kind {
        case .menu, .integerMenu: menu.map { "\($0.index) (\($0.name))" }.joined(separator: ", ")
        case .bitmask: "the bits of 0x" + String(maximum & 0xFFFF_FFFF, radix: 16)
        default: "\(minimum) to \(maximum)" + (unit.map { " (× \($0))" } ?? "")
        }
    }
}

/// One entry of a menu control (`VIDIOC_QUERYMENU`).
public struct VideoMenuItem: Hashable, Sendable {
    /// The value of the control that selects the entry.
    public var index: Int64
    /// The driver's text, or the number of an integer menu.
    public var name: String

    public init(index: Int64, name: String) {
        self.index = index
        self.name = name
    }

    init(index: Int64, _ item: cv4l_menu_item, _ kind: VideoControl.Kind) {
        self.init(index: index, name: kind == .integerMenu ? String(item.value) : fixedText(item.name))
    }
}
