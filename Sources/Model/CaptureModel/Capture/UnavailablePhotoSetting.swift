/// A photo setting of AVFoundation that no camera of a rig has. Every interface refuses it by name, with the reason.
public enum UnavailablePhotoSetting: String, Sendable, CaseIterable {
    /// `isAutoRedEyeReductionEnabled`.
    case redEyeReduction
    /// `isDepthDataDeliveryEnabled`.
    case depth
    /// `isPortraitEffectsMatteDeliveryEnabled`.
    case portraitMatte
    /// `enabledSemanticSegmentationMatteTypes`.
    case segmentationMattes
    /// `isAutoStillImageStabilizationEnabled`, and `preferredVideoStabilizationMode` of movies.
    case stabilization

    /// - Parameter name: That of the case, or AVFoundation's.
    public init?(named name: String) {
        let found = Self.allCases.first { $0.rawValue == name || $0.namesInAVFoundation.contains(name) }
        guard let found else { return nil }
        self = found
    }

    /// Why no camera has it: the end of a sentence.
    public var reason: String {
        switch self {
        case .redEyeReduction:
            "it needs a light that flashes before the picture, and a camera's light is steady"
        case .depth: "it needs a camera that measures distances, and V4L2 cameras deliver pictures only"
        case .portraitMatte: "it is made from depth, and V4L2 cameras deliver pictures only"
        case .segmentationMattes: "cameras do not tell skin, hair or sky apart, and pictures are stored as delivered"
        case .stabilization: "V4L2 has no control for it, and pictures are stored as the camera delivers them"
        }
    }

    private var namesInAVFoundation: [String] {
        switch self {
        case .redEyeReduction: ["autoRedEyeReduction", "isAutoRedEyeReductionEnabled"]
        case .depth: ["depthDataDelivery", "isDepthDataDeliveryEnabled"]
        case .portraitMatte: ["portraitEffectsMatte", "isPortraitEffectsMatteDeliveryEnabled"]
        case .segmentationMattes: ["semanticSegmentationMattes", "enabledSemanticSegmentationMatteTypes"]
        case .stabilization:
            ["autoStillImageStabilization", "isAutoStillImageStabilizationEnabled", "preferredVideoStabilizationMode"]
        }
    }
}
