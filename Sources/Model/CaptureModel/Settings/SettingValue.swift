/// A value that is requested of a setting, or that a setting has.
public enum SettingValue: Hashable, Sendable {
    case quantity(PhysicalQuantity)
    /// The driver's own value of the control behind the setting.
    case raw(Int64)
    /// A part of the control's range.
    case fraction(RangeFraction)
    case mode(SettingMode)
    case gains(WhiteBalanceGains)
    case point(PointOfInterest)
    case format(RequestedFormat)
    /// The value that the camera has when the request is carried out, as AVFoundation's `currentISO`.
    case current
}

extension SettingValue: CustomStringConvertible {
    /// The value as the text grammar writes it.
    public var description: String {
        switch self {
        case .quantity(let quantity): quantity.description
        case .raw(let value): "raw:\(value)"
        case .fraction(let fraction): fraction.description
        case .mode(let mode): mode.rawValue
        case .gains(let gains): gains.description
        case .point(let point): point.description
        case .format(let format): format.description
        case .current: "current"
        }
    }
}

/// A part of a control's range, from 0 (its lower end) to 1, in millionths. The upper end of a lens position is far.
public struct RangeFraction: Hashable, Sendable, CustomStringConvertible {
    /// 0 to 1 000 000.
    public let millionths: Int64

    public init?(millionths: Int64) {
        guard (0...1_000_000).contains(millionths) else { return nil }
        self.millionths = millionths
    }

    /// Reads `40%`.
    init?(percent text: String) {
        guard text.hasSuffix("%"), let value = DecimalText.parse(text.dropLast(), digits: 4) else { return nil }
        self.init(millionths: value)
    }

    /// As a percentage.
    public var description: String { DecimalText.text(millionths, digits: 4) + "%" }
}

/// Gains of the red, green and blue channels, normalized: the smallest is 1.
public struct WhiteBalanceGains: Hashable, Sendable, CustomStringConvertible {
    /// Thousandths; each at least 1000, and one of them 1000.
    public let red, green, blue: Int64

    /// The largest gain that is accepted, relative to the smallest, in thousandths.
    public static let largest: Int64 = 1_000_000

    /// Divides the gains by the smallest, as AVFoundation requires of gains.
    /// - Returns: nil if one is not positive, or too large beside the smallest.
    public init?(red: Int64, green: Int64, blue: Int64) {
        let smallest = min(red, green, blue)
        guard smallest > 0 else { return nil }
        func normalized(_ gain: Int64) -> Int64 {
            Int64(clamping: Int128(gain).rounded(timesThen: 1000, by: Int128(smallest)))
        }
        (self.red, self.green, self.blue) = (normalized(red), normalized(green), normalized(blue))
        guard max(self.red, self.green, self.blue) <= Self.largest else { return nil }
    }

    init?(parsing text: String) {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { DecimalText.parse($0, digits: 3) }
        guard parts.count == 3, numbers.count == 3 else { return nil }
        self.init(red: numbers[0], green: numbers[1], blue: numbers[2])
    }

    public var description: String {
        [red, green, blue].map { DecimalText.text($0, digits: 3) }.joined(separator: ",")
    }
}

/// A point of the picture, from 0,0 at the top left to 1,1 at the bottom right, in millionths.
public struct PointOfInterest: Hashable, Sendable, CustomStringConvertible {
    public let x, y: RangeFraction

    public init(x: RangeFraction, y: RangeFraction) {
        self.x = x
        self.y = y
    }

    init?(parsing text: String) {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { DecimalText.parse($0, digits: 6).flatMap(RangeFraction.init(millionths:)) }
        guard parts.count == 2, numbers.count == 2 else { return nil }
        self.init(x: numbers[0], y: numbers[1])
    }

    public var description: String {
        [x, y].map { DecimalText.text($0.millionths, digits: 6) }.joined(separator: ",")
    }
}

/// A pixel format and a size for the stream.
public struct RequestedFormat: Hashable, Sendable, CustomStringConvertible {
    public let pixelFormat: PixelFormat
    /// Pixels.
    public let width, height: Int

    /// The largest width and height.
    public static let largestSide = 65_535

    public init?(_ pixelFormat: PixelFormat, width: Int, height: Int) {
        guard (1...Self.largestSide).contains(width), (1...Self.largestSide).contains(height) else { return nil }
        self.pixelFormat = pixelFormat
        self.width = width
        self.height = height
    }

    package init?(parsing text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let pixelFormat = PixelFormat(rawValue: String(parts[0])) else { return nil }
        let sides = parts[1].split(separator: "x", omittingEmptySubsequences: false)
        let numbers = sides.compactMap { DecimalText.parse($0, digits: 0).flatMap(Int.init(exactly:)) }
        guard sides.count == 2, numbers.count == 2 else { return nil }
        self.init(pixelFormat, width: numbers[0], height: numbers[1])
    }

    public var description: String { "\(pixelFormat.rawValue):\(width)x\(height)" }
}
