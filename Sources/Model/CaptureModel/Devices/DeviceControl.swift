/// One control of a device, such as exposure or gain, as its driver describes it.
public struct DeviceControl: Hashable, Codable, Sendable {
    /// The values that a control accepts.
    public enum Kind: String, Hashable, Codable, Sendable, CaseIterable {
        case integer
        case boolean
        /// One of `menu`, by its index.
        case menu
        /// Bits of `maximum`.
        case bitmask
        /// No value; setting it performs an action once.
        case button
    }

    /// One choice of a menu.
    public struct MenuItem: Hashable, Codable, Sendable {
        public var index: Int64
        /// The driver's name, or the number in an integer menu.
        public var name: String

        public init(index: Int64, name: String) {
            self.index = index
            self.name = name
        }
    }

    /// The name as `v4l2-ctl` writes it: `exposure_time_absolute`.
    public var name: String
    public var kind: Kind
    public var minimum: Int64
    public var maximum: Int64
    public var step: Int64
    public var defaultValue: Int64
    /// The meaning of a step of 1, if V4L2 defines it: `100 µs`, `K`, `0.001 EV`.
    public var unit: String?
    public var menu: [MenuItem]
    /// The value as last read; nil if it cannot be read.
    public var value: Int64?
    /// Whether it can be read but never set.
    public var isReadOnly: Bool
    /// Whether it has no effect because of other controls, such as exposure time under automatic exposure.
    public var isInactive: Bool

    public init(
        name: String, kind: Kind, minimum: Int64 = 0, maximum: Int64 = 0, step: Int64 = 1, defaultValue: Int64 = 0,
        unit: String? = nil, menu: [MenuItem] = [], value: Int64? = nil, isReadOnly: Bool = false,
        isInactive: Bool = false
    ) {
        self.name = name
        self.kind = kind
        self.minimum = minimum
        self.maximum = maximum
        self.step = step
        self.defaultValue = defaultValue
        self.unit = unit
        self.menu = menu
        self.value = value
        self.isReadOnly = isReadOnly
        self.isInactive = isInactive
    }
}
