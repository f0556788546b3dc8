/// How much a camera's scene must change for it to be told.
public struct SceneChangeSettings: Hashable, Codable, Sendable {
    /// The thresholds that make sense.
    public static let thresholds = 1...255
    /// Half of what half as much light again makes of the virtual camera's scene, which is about 45.
    public static let defaultThreshold = 24

    /// By how much the luma of the picture's twelfths must differ on average, of 255.
    public var threshold: Int

    /// - Parameter threshold: Of ``thresholds``; what lies outside is the nearest of them.
    public init(threshold: Int = defaultThreshold) {
        self.threshold = min(max(threshold, Self.thresholds.lowerBound), Self.thresholds.upperBound)
    }
}
