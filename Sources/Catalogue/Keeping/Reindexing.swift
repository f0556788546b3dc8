public import CaptureModel
public import Library
internal import PosixSupport

/// Brings the index of a library up to date where no coordinator does, so that searching its folder is quick.
public struct Reindexing: Sendable {
    private let library: LibraryReader
    private let file: IndexFile

    /// - Parameter folder: The library's folder, the same that `library` reads.
    public init(_ library: LibraryReader, folder: String) {
        self.library = library
        file = IndexFile(library: folder)
    }

    /// What reindexing has found.
    public struct Result: Hashable, Sendable {
        /// Shots in the index.
        public var shots: Int
        /// Those of them that had changed since it was written.
        public var changed: Int
        /// Why the index was made from nothing, as the end of a sentence that begins with "the index".
        public var remade: String?
    }

    /// Compares every shot with the index; afterwards it is closed and believed.
    /// - Parameters:
    ///   - clock: Tells which days have rested long enough to be believed.
    ///   - fromNothing: Delete the index first.
    /// - Throws: `conflict` where another program keeps the index; `inputOutput`.
    public func run(_ clock: any TimeSource, fromNothing: Bool) async throws(CaptureProblem) -> Result {
        do {
            if fromNothing { try deleteIndex() }
            let keeper = try IndexKeeper(library, file)
            let changed = try await keeper.compare(clock) { _ in }
            let result = Result(shots: try keeper.shotCount(), changed: changed, remade: keeper.remade)
            try keeper.close(isComplete: true)
            return result
        } catch let inUse as FolderInUse {
            throw CaptureProblem(.conflict, "the index is kept by another program, which does all this: \(inUse)")
        } catch let problem as CaptureProblem {
            throw problem
        } catch {
            throw CaptureProblem(.inputOutput, "the index \(file.path) \(IndexFault.reason(of: error))")
        }
    }

    private func deleteIndex() throws {
        let lock = try file.lock()
        defer { withExtendedLifetime(lock) {} }
        try file.remove()
    }
}
