internal import CaptureModel

/// The names in the tree of small pictures. All are built from validated ids.
enum PreviewNames {
    static let root = ".previews"
    /// Which content of the manifest a shot's small pictures were made of.
    static let stamp = "made"

    static func picture(_ picture: SmallPicture, of kind: AssetKind) -> String {
        "\(kind.rawValue).\(picture.rawValue).jpg"
    }

    static func problem(of kind: AssetKind) -> String { "\(kind.rawValue).problem.txt" }
}
