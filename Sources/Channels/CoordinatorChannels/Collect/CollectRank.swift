import CaptureModel

/// In which order chunks are asked for, the first one first.
enum CollectRank: Int, Comparable, CaseIterable, Sendable {
    /// Somebody waits for the file, which the picture is nothing without.
    case awaitedStill
    /// Somebody waits for the file, which is made after the picture: a clip, a still that is encoded, a movie.
    case awaited
    /// Nobody waits for the file.
    case backlog

    init(_ kind: AssetKind, isAwaited: Bool) {
        self = !isAwaited ? .backlog : kind.isMadeLater ? .awaited : .awaitedStill
    }

    static func < (first: Self, second: Self) -> Bool { first.rawValue < second.rawValue }
}
