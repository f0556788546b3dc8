internal import CaptureModel
internal import GRDB
public import StorageKit

/// What is known of an index by whoever asks it.
enum IndexState: Sendable {
    /// Its own mark says whether it was closed with everything in it.
    case asMarked
    /// It may lack anything.
    case behind
    /// It lacks only these shots, given with their days.
    case current(pending: [ShotID: String])
}

/// Finds shots of a library, whether a coordinator works in it or not: by the index where there is one, and right
/// without it. Reads only. Every call blocks on the disk of the index.
public struct CatalogueReader: Sendable {
    private let library: any ShotReading
    private let file: IndexFile

    /// - Parameter folder: The folder in which the index has its own, such as the library's.
    public init(_ library: any ShotReading, folder: String) {
        self.library = library
        file = IndexFile(library: folder)
    }

    /// Shots as ``Catalogue/shots(_:)`` tells them.
    /// - Throws: `inputOutput` where the library itself cannot be read.
    public func shots(_ page: ShotPage) async throws(StorageError) -> CatalogueListing {
        try await shots(page, .asMarked)
    }

    func shots(_ page: ShotPage, _ state: IndexState) async throws(StorageError) -> CatalogueListing {
        do {
            let index = IndexDatabase(queue: try file.openForReading())
            return try await IndexAnswer(library: library, index: index).shots(page, state)
        } catch let error as StorageError {
            throw error
        } catch {
            let reason = "the index \(IndexFault.reason(of: error))"
            return try await ManifestScan(library: library).shots(page, reason: reason)
        }
    }
}
