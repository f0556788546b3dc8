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
        case bitmask = 8
        /// An index into entries that are numbers.
        case integerMenu = 9
    }

    /// `V4L2_CID_*`.
    public var id: UInt32
    /// The driver's name for it, such as `Exposure Time, Absolute`.
    public var name: String
    public var kind: Kind
    public var minimum: Int64
    public var maximum: Int64
    public var step: UInt64
    public var defaultValue: Int64
    /// Whether another control (such as automatic exposure) has taken over this one's value.
    public var isInactive: Bool
    public var isReadable: Bool
    public var isWritable: Bool

    /// Nil for controls of compound types and class headings, which have no single value, and for disabled ones.
    init?(_ control: cv4l_control) {
        let noValue = UInt32(CV4L_CTRL_FLAG_HAS_PAYLOAD | CV4L_CTRL_FLAG_DISABLED)
        guard let kind = Kind(rawValue: control.type), control.flags & noValue == 0 else { return nil }
        id = control.id
        name = fixedText(control.name)
        self.kind = kind
        minimum = control.minimum
        maximum = control.maximum
        step = control.step
        defaultValue = control.default_value
        isInactive = control.flags & UInt32(CV4L_CTRL_FLAG_INACTIVE) != 0
        isReadable = control.flags & UInt32(CV4L_CTRL_FLAG_WRITE_ONLY) == 0
        isWritable = control.flags & UInt32(CV4L_CTRL_FLAG_READ_ONLY) == 0
    }

    /// `V4L2_CID_EXPOSURE_ABSOLUTE`: the exposure time in units of 100 microseconds.
    public static let exposureAbsolute = UInt32(CV4L_CID_EXPOSURE_ABSOLUTE)
}
