public import CaptureModel

/// The files of one sort: how many are expected, and how many are durable in the library.
public struct FileCount: Equatable, Encodable, Sendable {
    public var expected: Int
    public var sort: FileSort
    public var stored: Int

    /// One count for each sort of which a file is expected, in the order of ``FileSort``.
    public static func all(_ files: some Sequence<CapturedFile>) -> [FileCount] {
        let sorted = Dictionary(grouping: files) { FileSort($0.kind) }
        return FileSort.allCases.compactMap { sort in
            sorted[sort].map { FileCount(expected: $0.count, sort: sort, stored: $0.count(where: \.isStored)) }
        }
    }

    /// The sums of several shots.
    public static func sum(_ counts: some Sequence<FileCount>) -> [FileCount] {
        let sorted = Dictionary(grouping: counts, by: \.sort)
        return FileSort.allCases.compactMap { sort in
            sorted[sort].map { counts in
                FileCount(
                    expected: counts.reduce(0) { $0 + $1.expected }, sort: sort,
                    stored: counts.reduce(0) { $0 + $1.stored })
            }
        }
    }
}

/// The sorts of files in summaries. Previews and the sidecars of movies are not counted.
public enum FileSort: String, Encodable, CaseIterable, Sendable {
    case stills, raws, heics, clips, motionPhotos, movies

    /// - Returns: nil for files that are not counted.
    public init?(_ kind: AssetKind) {
        switch kind {
        case .photo, .photo2, .photo3, .photo4, .photo5: self = .stills
        case .alternatePhoto, .cameraRaw: self = .raws
        case .photoHEIC: self = .heics
        case .pairedVideo: self = .clips
        case .motionPhoto: self = .motionPhotos
        case .movie: self = .movies
        case .preview, .frames: return nil
        }
    }
}
