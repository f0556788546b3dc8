/// What a device delivers, in AVFoundation's words.
public enum MediaType: String, Hashable, Codable, Sendable, CaseIterable {
    case video
    case audio
}
