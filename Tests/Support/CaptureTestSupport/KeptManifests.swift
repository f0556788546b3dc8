internal import Foundation

/// Copies of the manifests that a test has had written, for `make check-manifests`.
enum KeptManifests {
    /// Where they are kept; nil where nobody wants them.
    private static let place = ProcessInfo.processInfo.environment["CAPRIG_KEEP_MANIFESTS"]

    /// Copies every manifest below a folder that goes.
    /// - Parameter written: Paths below the folder of those that the test has written itself, which may be damaged on purpose.
    static func keep(from folder: URL, butFor written: Set<String>) {
        guard let place, let paths = FileManager.default.enumerator(atPath: folder.path(percentEncoded: false)) else {
            return
        }
        for case let path as String in paths where path.hasSuffix("/shot.json") || path.hasSuffix("/take.json") {
            guard !written.contains(path) else { continue }
            let name = "\(folder.lastPathComponent)/\(path)".replacing("/", with: "_")
            try? FileManager.default.copyItem(at: folder.appending(path: path), to: URL(filePath: "\(place)/\(name)"))
        }
    }
}
