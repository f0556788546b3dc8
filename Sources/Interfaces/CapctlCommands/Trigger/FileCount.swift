internal import CaptureModel

/// Files of one sort: how many are expected, and how many of them are durable in the library.
struct FileCount: Equatable, Encodable {
    var expected: Int
    var sort: FileSort
    var stored: Int

    /// `3 of 4 clips`.
    var text: String { "\(stored) of \(expected) \(sort.plural)" }

    /// One for each sort of which a file is expected, in the order of ``FileSort``.
    static func all(_ files: some Sequence<CapturedFile>) -> [FileCount] {
        let sorted = Dictionary(grouping: files) { FileSort($0.kind) }
        return FileSort.allCases.compactMap { sort in
            sorted[sort].map { FileCount(expected: $0.count, sort: sort, stored: $0.count(where: \.isStored)) }
        }
    }

    /// The sums of several shots.
    static func sum(_ counts: some Sequence<FileCount>) -> [FileCount] {
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

/// What summaries call a file. Previews and the sidecars of movies are not counted.
enum FileSort: String, Encodable, CaseIterable {
    case stills, dngs, heics, clips, motionPhotos, movies

    init?(_ kind: AssetKind) {
        switch kind {
        case .photo, .photo2, .photo3, .photo4, .photo5: self = .stills
        case .alternatePhoto: self = .dngs
        case .photoHEIC: self = .heics
        case .pairedVideo: self = .clips
        case .motionPhoto: self = .motionPhotos
        case .movie: self = .movies
        case .preview, .frames: return nil
        }
    }

    /// As people read it.
    var plural: String {
        switch self {
        case .stills: "stills"
        case .dngs: "DNGs"
        case .heics: "HEIC files"
        case .clips: "clips"
        case .motionPhotos: "motion photos"
        case .movies: "movies"
        }
    }
}
