internal import Hummingbird
internal import NIOCore

/// There is no page in the folder.
struct MissingPage: Error, CustomStringConvertible {
    let folder: String

    var description: String { "\(folder) has no index.html; name the folder of the page: --page FOLDER" }
}
