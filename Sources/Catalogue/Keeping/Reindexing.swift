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
        /// Those of which it said something else though they had not changed; 0 where that was not looked for.
        public var wrong = 0
        /// Shots in the index whose manifest cannot be read.
        public var damaged: Int
        /// Why the index was made from nothing, as the end of a sentence that begins with "the index".
        public var remade: String?
    }

    /// Compares every shot with the index; afterwards it is closed and believed.
    /// - Parameters:
    ///   - clock: Tells which days have rested long enough to be believed.
    ///   - fromNothing: Delete the index first.
    ///   - checking: Read every manifest, and put right what the index says otherwise.
    /// - Throws: `conflict` where another program works in the library; `inputOutput`.
    public func run(
        _ clock: any TimeSource, fromNothing: Bool, checking: Bool = false
    ) async throws(CaptureProblem) -> Result {
        do {
            // A coordinator that began meanwhile would write manifests behind the comparison.
            let lock = try library.lock()
            defer { withExtendedLifetime(lock) {} }
            if fromNothing { try deleteIndex() }
            let keeper = try IndexKeeper(library, file)
            let changed = try await keeper.compare(clock) { _ in }
            let wrong = checking ? try keeper.check() : 0
            let result = Result(
                shots: try keeper.shotCount(), changed: changed, wrong: wrong, damaged: try keeper.damagedCount(),
                remade: keeper.remade)
            try keeper.close(isComplete: true)
            return result
        } catch let inUse as FolderInUse {
            throw CaptureProblem(.conflict, "another program works in the library and keeps its index itself: \(inUse)")
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
