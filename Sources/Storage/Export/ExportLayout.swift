/// How an export arranges the files of shots; docs/library.md shows each.
public enum ExportLayout: String, Hashable, Codable, Sendable, CaseIterable {
    /// A folder for each camera, with every file of it.
    case byCamera = "by-camera"
    /// A folder for each shot and in it one for each camera, as in the library, with the manifests.
    case byShot = "by-shot"
    /// The stills as COLMAP takes them: `images/` with a folder for each camera and size.
    case colmap
    /// The stills side by side.
    case realityCapture = "realitycapture"
    /// Takes, for editing programs: as ``byCamera``, with each take as FCPXML and as OpenTimelineIO.
    case timeline

    /// Whether only stills are taken.
    var takesStillsOnly: Bool {
        switch self {
        case .byCamera, .byShot, .timeline: false
        case .colmap, .realityCapture: true
        }
    }
}
