public import CaptureModel

/// Shots of a library, and the manifests among them that could not be read.
public struct ShotListing: Sendable {
    public var shots: [Shot] = []
    public var damaged: [DamagedManifest] = []

    public init() {}
}

/// A `shot.json` that could not be read; the files beside it are untouched.
public struct DamagedManifest: Hashable, Sendable, CustomStringConvertible {
    /// The manifest's path.
    public var path: String
    public var reason: String

    public var description: String { "\(path): \(reason)" }
}
