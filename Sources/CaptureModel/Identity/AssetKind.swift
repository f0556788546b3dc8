/// What a file is to its capture, in AVFoundation's words (`PHAssetResourceType`).
public enum AssetKind: String, Hashable, Codable, Sendable, CaseIterable {
    /// The still itself: the camera's own JPEG with metadata.
    case photo

    /// The file name of this kind inside a capture's folder.
    public var fileName: String {
        switch self {
        case .photo: "photo.jpg"
        }
    }
}
