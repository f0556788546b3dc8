public import CaptureModel

/// Shots of a library, the manifests among them that could not be read, and folders of shots that never began.
public struct ShotListing: Sendable {
    public var shots: [Shot] = []
    public var damaged: [DamagedManifest] = []
    /// A crash came before their first manifest was in place, and so before anything was asked of a camera.
    public var unbegun: [ShotID] = []

    public init() {}
}

/// A `shot.json` that could not be read; the files beside it are untouched.
public struct DamagedManifest: Hashable, Sendable, CustomStringConvertible {
    /// The manifest's path.
    public var path: String
    public var reason: String

    public var description: String { "\(path): \(reason)" }
}
