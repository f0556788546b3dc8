/// A request to measure a part of a camera's pictures.
public struct MeasureRequest: Hashable, Sendable {
    public static let frameLimit = 64
    public static let skipLimit = 120

    public var region: PictureRegion
    /// Number of frames whose mean is measured, so that flickering light averages out; 1 to ``frameLimit``.
    public var frames: Int
    /// Number of frames to let pass before, for values that come into the pictures late; 0 to ``skipLimit``.
    public var skip: Int
    /// Whether the answer has a small picture.
    public var wantsPicture: Bool

    public init(region: PictureRegion = .center, frames: Int = 24, skip: Int = 0, wantsPicture: Bool = false) {
        self.region = region
        self.frames = min(max(frames, 1), Self.frameLimit)
        self.skip = min(max(skip, 0), Self.skipLimit)
        self.wantsPicture = wantsPicture
    }
}
