public import CaptureModel

/// What is known of one model of camera beyond what its driver reports. Files describe it: docs/settings.md.
public struct CameraPeculiarities: Hashable, Sendable {
    /// Which cameras it is about.
    public var match: CameraMatch
    /// Measured values of controls, by name.
    public var curves: [String: MeasuredCurve]
    /// Controls whose direction is the opposite of the one that V4L2 prescribes, by name.
    public var inverted: Set<String>
    /// How many more frames have the old value after a control was set, by name.
    public var delays: [String: FrameDelay]
    /// The measured tone curve of its pictures; nil if it was not measured.
    public var toneCurve: ToneCurve?

    public init(
        match: CameraMatch, curves: [String: MeasuredCurve] = [:], inverted: Set<String> = [],
        delays: [String: FrameDelay] = [:], toneCurve: ToneCurve? = nil
    ) {
        self.match = match
        self.curves = curves
        self.inverted = inverted
        self.delays = delays
        self.toneCurve = toneCurve
    }
}

/// A model of camera, and the firmware and format that it may have.
public struct CameraMatch: Hashable, Sendable {
    public var make: String?
    public var model: String
    /// With `*` for any characters; nil for any firmware, also an unknown one.
    public var firmware: String?
    /// The format of the stream, such as `MJPG:1280x720`, with `*` for any characters; nil for any format.
    public var format: String?

    public init(make: String? = nil, model: String, firmware: String? = nil, format: String? = nil) {
        self.make = make
        self.model = model
        self.firmware = firmware
        self.format = format
    }

    /// Returns whether a camera is one of these. Make and model are compared exactly.
    public func matches(make: String?, model: String?, firmware: String?, format: String? = nil) -> Bool {
        self.model == model && (self.make == nil || self.make == make) && Self.matches(firmware, self.firmware)
            && Self.matches(format, self.format)
    }

    private static func matches(_ text: String?, _ pattern: String?) -> Bool {
        guard let pattern else { return true }
        return text.map { matches(Array($0.utf8)[...], Array(pattern.utf8)[...]) } ?? false
    }

    /// How much it says about a camera: of several files that match, the one that says most applies.
    var precision: Int { (make == nil ? 0 : 1) + (firmware == nil ? 0 : 2) + (format == nil ? 0 : 4) }

    /// Matches in time proportional to the product of the lengths, without recursion.
    private static func matches(_ text: ArraySlice<UInt8>, _ pattern: ArraySlice<UInt8>) -> Bool {
        var (here, there) = (text.startIndex, pattern.startIndex)
        var retry: (text: Int, pattern: Int)?
        while here < text.endIndex {
            if there < pattern.endIndex, pattern[there] == UInt8(ascii: "*") {
                retry = (here, there)
                there += 1
            } else if there < pattern.endIndex, pattern[there] == text[here] {
                (here, there) = (here + 1, there + 1)
            } else if let last = retry {
                retry = (last.text + 1, last.pattern)
                (here, there) = (last.text + 1, last.pattern + 1)
            } else {
                return false
            }
        }
        return pattern[there...].allSatisfy { $0 == UInt8(ascii: "*") }
    }
}

/// How many frames a camera delivers with the old value of a control after it has accepted the new one.
public struct FrameDelay: Hashable, Sendable {
    public let fewest: Int
    public let most: Int
    /// The middle of the range of times from the acceptance to the middle of exposure of the first frame with the new value, in
    /// thousandths of the time from frame to frame; nil if it was not measured.
    public let middleThousandths: Int?

    /// More than any camera needs.
    public static let limit = ControlDelay.limit

    public init?(fewest: Int, most: Int, middleThousandths: Int? = nil) {
        guard 0 <= fewest, fewest <= most, most <= Self.limit,
            (0...ControlDelay.middleLimit).contains(middleThousandths ?? 0)
        else { return nil }
        self.fewest = fewest
        self.most = most
        self.middleThousandths = middleThousandths
    }
}

/// The measured physical values of a control: straight lines between points.
public struct MeasuredCurve: Hashable, Sendable {
    /// A driver's value and its physical one, as ``PhysicalQuantity/count`` counts.
    public struct Point: Hashable, Sendable {
        public var raw: Int64
        public var count: Int64

        public init(raw: Int64, count: Int64) {
            self.raw = raw
            self.count = count
        }
    }

    public let unit: PhysicalUnit
    /// At least two, by ascending `raw`; `count` ascends or descends all the way.
    public let points: [Point]
    let first: Point
    let last: Point

    /// The most points.
    public static let limit = 256
    /// The largest magnitude of a point's values. Products of two of them fit into 128 bits.
    public static let largest: Int64 = 1_000_000_000_000_000

    /// Returns nil if the points are too few or many, not in order, or have values that the unit does not have.
    public init?(_ unit: PhysicalUnit, _ points: [Point]) {
        let pairs = zip(points, points.dropFirst())
        guard (2...Self.limit).contains(points.count), let first = points.first, let last = points.last,
            points.allSatisfy({ max($0.raw.magnitude, $0.count.magnitude) <= UInt64(Self.largest) }),
            pairs.allSatisfy({ $0.raw < $1.raw }),
            pairs.allSatisfy({ $0.count < $1.count }) || pairs.allSatisfy({ $0.count > $1.count }),
            points.allSatisfy({ PhysicalQuantity($0.count, unit) != nil })
        else { return nil }
        (self.unit, self.points, self.first, self.last) = (unit, points, first, last)
    }

    /// Returns the physical value of a driver's value; nil outside of the points.
    func count(_ raw: Int64) -> Int64? {
        guard raw >= first.raw, raw <= last.raw else { return nil }
        guard let upper = points.firstIndex(where: { $0.raw >= raw }) else { return nil }
        let (high, low) = (points[upper], points[max(upper - 1, 0)])
        guard high.raw != raw else { return high.count }
        let (width, rise) = (Int128(high.raw) - Int128(low.raw), Int128(high.count) - Int128(low.count))
        return Int64(clamping: Int128(low.count) + (Int128(raw) - Int128(low.raw)).rounded(timesThen: rise, by: width))
    }
}
