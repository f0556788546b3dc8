/// A decoded brightness image whose storage is reused from one decode to the next.
public struct LumaImage: Equatable, Sendable {
    /// Width in pixels; also the distance between rows in bytes.
    public internal(set) var width = 0
    /// Height in pixels.
    public internal(set) var height = 0
    /// `width * height` luma samples, top row first, 0 black to 255 white.
    public internal(set) var bytes: [UInt8] = []
    /// What the decoder complained about when the data was damaged but an image could be made.
    public internal(set) var warning: String?

    /// An empty image, to be filled by ``JPEGDecoder/decodeLuma(_:scale:into:)``.
    public init() {}

    mutating func resize(width: Int, height: Int) {
        self.width = width
        self.height = height
        let count = width * height
        if bytes.count != count { bytes = [UInt8](repeating: 0, count: count) }
    }
}
