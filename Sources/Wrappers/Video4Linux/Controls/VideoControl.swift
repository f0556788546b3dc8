import CVideo4Linux

/// A control of a device: exposure, gain, focus and whatever else its driver offers (`VIDIOC_QUERY_EXT_CTRL`).
public struct VideoControl: Hashable, Sendable {
    /// What a control's value means; the numbers are `V4L2_CTRL_TYPE_*`.
    public enum Kind: UInt32, Hashable, Sendable {
        case integer = 1
        case boolean = 2
        /// An index into named entries.
        case menu = 3
        /// Does something when written.
        case button = 4
        case integer64 = 5
        /// Any of the bits of `maximum`.
        case bitmask = 8
        /// An index into entries that are numbers.
        case integerMenu = 9

        /// Whether a value is the number of a menu's entry.
        public var hasMenu: Bool { self == .menu || self == .integerMenu }
    }

    /// `V4L2_CID_*`.
    public var id: UInt32
    /// The driver's name for it, such as `Exposure Time, Absolute`.
    public var name: String
    /// The name as `v4l2-ctl` writes it, such as `exposure_time_absolute`; among a device's controls it is unique.
    public var key: String
    public var kind: Kind
    public var minimum: Int64
    public var maximum: Int64
    public var step: UInt64
    public var defaultValue: Int64
    /// What a step of 1 is, where the V4L2 documentation defines it, such as `100 µs`; of an integer menu, what its
    /// numbers are.
    public var unit: String?
    /// Whether another control (such as automatic exposure) has taken over this one's value.
    public var isInactive: Bool
    /// Whether it cannot be set as things are, such as while the device streams (`V4L2_CTRL_FLAG_GRABBED`).
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

    /// Nil for controls of compound types and class headings, which have no single value, and for disabled ones.
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

    /// `V4L2_CID_GAIN` and `V4L2_CID_ANALOGUE_GAIN`: amplification, in units of the driver.
    public static let gains = [UInt32(CV4L_CID_GAIN), UInt32(CV4L_CID_ANALOGUE_GAIN)]

    /// A driver's name in lower case, with one underscore for whatever stands between letters and digits.
    static func key(of name: String) -> String {
        let words = name.utf8.split { byte in
            !(byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z"))
                && !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        }
        return words.map { String(decoding: $0, as: UTF8.self).lowercased() }.joined(separator: "_")
    }

    /// Tells controls of one key apart: all but the first, and those without a name, get their id appended.
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
