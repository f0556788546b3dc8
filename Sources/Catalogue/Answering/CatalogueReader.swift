public import CaptureModel
internal import GRDB
public import Library

/// What is known of an index by whoever asks it.
enum IndexState: Sendable {
    /// Its own mark says whether it was closed with everything in it.
    case asMarked
    /// It may lack anything.
    case behind
    /// It lacks only these shots, given with their days.
    case current(pending: [ShotID: String])
}

/// Finds shots in a library's folder, whether a coordinator works in it or not: by the index where there is one, and right
/// without it. Reads only. Every call blocks on the disk.
public struct CatalogueReader: Sendable {
    private let library: LibraryReader
    private let file: IndexFile

    /// - Parameter folder: The library's folder, the same that `library` reads.
    public init(_ library: LibraryReader, folder: String) {
        self.library = library
        file = IndexFile(library: folder)
    }

    /// Shots as ``Catalogue/shots(_:)`` tells them.
    /// - Throws: `inputOutput` where the library itself cannot be read.
    public func shots(_ page: ShotPage) throws(CaptureProblem) -> CatalogueListing {
        try shots(page, .asMarked)
    }

    func shots(_ page: ShotPage, _ state: IndexState) throws(CaptureProblem) -> CatalogueListing {
        do {
            return try file.openForReading().read { db in
                try IndexAnswer(library: library, index: IndexReading(db: db)).shots(page, state)
            }
        } catch let problem as CaptureProblem {
            throw problem
        } catch {
            return try ManifestScan(library: library).shots(page, reason: "the index \(IndexFault.reason(of: error))")
        }
    }
}
