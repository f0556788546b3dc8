public import CaptureModel

/// What the pictures of cameras are to look like, and how they are measured.
public struct MatchRequest: Hashable, Sendable {
    public enum Goal: Hashable, Sendable {
        /// As a camera shows the target, which is locked first. With the color of a card in linear sRGB: in that color, as bright as the
        /// camera shows its green; the camera is matched too.
        case reference(DeviceID, card: ColorMean?)
        /// As a patch of this color, linear sRGB.
        case card(ColorMean)
        /// As each camera's automatic modes have chosen, once its pictures are steady, for which it has so long.
        case locked(within: Duration)
    }

    /// A gray card of 18 %.
    public static let gray = ColorMean(red: 0.18, green: 0.18, blue: 0.18)
    /// How far red, green and blue may be off at the least and at the most.
    public static let tolerances = 0.001...0.5
    /// The channels of a card.
    public static let cardRange = 0.01...1
    /// How long a camera may take until its pictures are steady.
    public static let steadyLimits: ClosedRange<Duration> = .seconds(1)...(.seconds(300))
    public static let usualSteadyLimit = Duration.seconds(20)

    public var goal: Goal
    public var region: PictureRegion
    /// Frames of each measurement.
    public var frames: Int
    /// How far red, green and blue may be off, such as 0.03.
    public var tolerance: Double
    /// Whether measurements have small pictures.
    public var wantsPictures: Bool

    public init(
        _ goal: Goal, region: PictureRegion = .center, frames: Int = 30, tolerance: Double = 0.03,
        wantsPictures: Bool = false
    ) {
        self.goal = goal
        self.region = region
        self.frames = frames
        self.tolerance = tolerance
        self.wantsPictures = wantsPictures
    }

    public var isLock: Bool {
        if case .locked = goal { true } else { false }
    }

    public var reference: DeviceID? {
        if case .reference(let device, _) = goal { device } else { nil }
    }

    /// The cameras of a selection that are changed, apart from the reference.
    func matched(of devices: [DeviceID]) -> [DeviceID] {
        // Under a card, the reference too is to show its color.
        guard case .reference(let reference, card: nil) = goal else { return devices }
        return devices.filter { $0 != reference }
    }

    /// The color for which a reference stands.
    static func wanted(_ measured: ColorMean, card: ColorMean?) -> ColorMean {
        guard let card else { return measured }
        let factor = measured.green / card.green
        return ColorMean(red: card.red * factor, green: measured.green, blue: card.blue * factor)
    }
}
