/// How a still is coded.
public enum PhotoCodec: String, Hashable, Codable, Sendable, CaseIterable {
    /// As every still is.
    case jpeg
    /// HEVC in a HEIF file as well, encoded by the node after the still was stored.
    case heic
}
