/// One pixel format that a device offers, with all its sizes and rates.
public struct FormatOffer: Hashable, Codable, Sendable {
    public var pixelFormat: PixelFormat
    /// The device's format, by its V4L2 fourcc, if this machine converts it to `pixelFormat`.
    public var convertedFrom: String?
    /// The sizes; empty if the driver does not report them.
    public var sizes: [SizeOffer]

    public init(pixelFormat: PixelFormat, convertedFrom: String? = nil, sizes: [SizeOffer]) {
        self.pixelFormat = pixelFormat
        self.convertedFrom = convertedFrom
        self.sizes = sizes
    }
}

/// One size, or a grid of sizes, with its rates.
public struct SizeOffer: Hashable, Codable, Sendable {
    /// Widths in pixels.
    public var widths: PixelRange
    /// Heights in pixels.
    public var heights: PixelRange
    /// Times between frames; empty if the driver does not report them.
    public var intervals: [IntervalOffer]
    /// Whether the sizes are made on request, without showing more of the scene in a larger one. Presets choose among the others.
    public var isMadeToOrder: Bool

    public init(
        widths: PixelRange, heights: PixelRange, intervals: [IntervalOffer], isMadeToOrder: Bool = false
    ) {
        self.widths = widths
        self.heights = heights
        self.intervals = intervals
        self.isMadeToOrder = isMadeToOrder
    }
}

/// A range of pixel counts in equal steps. Both ends are equal for a single count.
public struct PixelRange: Hashable, Codable, Sendable {
    public var smallest: Int
    public var largest: Int
    /// At least 1.
    public var step: Int

    public init(_ smallest: Int, _ largest: Int, step: Int = 1) {
        self.smallest = smallest
        self.largest = largest
        self.step = max(step, 1)
    }
}

/// One frame interval, or every one between two, in nanoseconds.
public struct IntervalOffer: Hashable, Codable, Sendable {
    /// The shortest time between frames: the highest rate.
    public var shortestNanoseconds: Int64
    /// The longest time between frames; equal to the shortest for a single interval.
    public var longestNanoseconds: Int64

    public init(shortestNanoseconds: Int64, longestNanoseconds: Int64) {
        self.shortestNanoseconds = shortestNanoseconds
        self.longestNanoseconds = longestNanoseconds
    }
}

/// Whether this process may open a device, after AVFoundation's `AVAuthorizationStatus`.
public enum AuthorizationStatus: String, Hashable, Codable, Sendable, CaseIterable {
    /// Not checked yet, or there is no device to check.
    case notDetermined
    /// The device may be opened.
    case authorized
    /// The system refuses this process (`EACCES`, `EPERM`). A group or a udev rule grants access.
    case denied
    /// The configuration, or the device policy of the service, forbids it.
    case restricted
}

/// What a device can do: the level "supported", below "enabled" by configuration and "requested" by settings.
public struct DeviceCapabilities: Hashable, Codable, Sendable {
    public var formats: [FormatOffer]
    public var controls: [DeviceControl]

    public init(formats: [FormatOffer] = [], controls: [DeviceControl] = []) {
        self.formats = formats
        self.controls = controls
    }
}

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

/// All that is known of a device, as its node answers a request.
public struct DeviceDetails: Hashable, Codable, Sendable {
    public var device: DeviceDescription
    public var condition: DeviceCondition
    public var authorization: AuthorizationStatus
    /// What to do if it is not authorized.
    public var remedy: String?
    /// The configuration's identification of the hardware, such as `serial 7A3F0012`.
    public var identity: String?
    /// What it offers; nil if it could not be queried.
    public var capabilities: DeviceCapabilities?
    /// Whether it offers more than a message can hold.
    public var isCut: Bool
    /// Why it could not be queried.
    public var obstacle: CaptureProblem?

    public init(
        device: DeviceDescription, condition: DeviceCondition, authorization: AuthorizationStatus,
        remedy: String? = nil, identity: String? = nil, capabilities: DeviceCapabilities? = nil, isCut: Bool = false,
        obstacle: CaptureProblem? = nil
    ) {
        self.device = device
        self.condition = condition
        self.authorization = authorization
        self.remedy = remedy
        self.identity = identity
        self.capabilities = capabilities
        self.isCut = isCut
        self.obstacle = obstacle
    }
}

/// The range of luma and chroma samples.
public enum SampleRange: String, Hashable, Codable, Sendable, CaseIterable {
    /// 0 to 255, as in JPEG.
    case full
    /// Luma 16 to 235, chroma 16 to 240, as in video; expanded before encoding as JPEG.
    case limited
}
