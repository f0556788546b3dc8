internal import CaptureModel
internal import Foundation

/// The stills of a shot as they lie on disk, against what the manifest says of them.
struct StoredStills: Equatable {
    /// Files in the shot's folder and below that have the name of a still.
    var found: [String]
    /// Paths of the stills the manifest calls stored.
    var announced: [String]

    /// Whether every announced still is there, once, and no other.
    var isExactlyOnce: Bool {
        Set(announced).count == announced.count && found.sorted() == announced.sorted()
    }

    /// - Parameter folder: The shot's folder, on this machine.
    init(of shot: Shot, in folder: String) {
        announced = shot.captures.flatMap(\.files).filter { $0.isStored && $0.kind.isStill }.map { $0.path ?? "" }
        let all = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        let names = Set(AssetKind.stills.map(\.fileName))
        found = all.filter { path in path.split(separator: "/").last.map { names.contains(String($0)) } == true }
    }
}
