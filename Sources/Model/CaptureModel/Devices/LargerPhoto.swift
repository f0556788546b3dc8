/// What stills a camera takes that are larger than the frames of its stream.
public struct LargerPhoto: Hashable, Codable, Sendable {
    /// The largest that the device offers and its configuration enables.
    public var dimensions: PixelSize
    /// How far ahead T must lie at least, nanoseconds: the camera is closed and opened again before T.
    public var leadNanoseconds: Int64

    public init(dimensions: PixelSize, leadNanoseconds: Int64) {
        self.dimensions = dimensions
        self.leadNanoseconds = leadNanoseconds
    }
}
