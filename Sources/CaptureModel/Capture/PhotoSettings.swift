/// What a shot asks of every camera, after AVFoundation's `AVCapturePhotoSettings`.
///
/// A shot's id takes the place of `uniqueID`: the same id with the same settings is the same shot.
public struct PhotoSettings: Hashable, Codable, Sendable {
    /// Encoder quality, 1 to 100, for cameras whose frames the node encodes; nil leaves it to the node. It has no
    /// effect on cameras that deliver JPEG, whose own bytes are kept.
    public var quality: Int?

    public init(quality: Int? = nil) {
        self.quality = quality
    }
}
