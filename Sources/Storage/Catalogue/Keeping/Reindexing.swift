public import CaptureModel
internal import PosixSupport
public import StorageKit

/// Updates the index of a library when no coordinator does, so that searching its folder is fast.
public struct Reindexing: Sendable {
    private let library: any ShotReading
    private let lock: @Sendable () throws -> any Sendable
    private let file: IndexFile

    /// - Parameters:
    ///   - folder: The folder that contains the folder of the index, such as the library's.
    ///   - lock: Takes the right to write the library, held until the last reference to the result is released. Otherwise a coordinator
    ///     that starts during it could write manifests after their comparison. Throws `FolderInUse`.
    public init(
        _ library: any ShotReading, folder: String, lock: @escaping @Sendable () throws -> any Sendable
    ) {
        self.library = library
        self.lock = lock
        file = IndexFile(library: folder)
    }

    /// The result of reindexing.
    public struct Result: Hashable, Sendable {
        /// Shots in the index.
        public var shots: Int
        /// Shots in the index that had changed after it was written.
        public var changed: Int
        /// Shots whose entry was wrong although they had not changed; 0 if this was not checked.
        public var wrong = 0
        /// Shots in the index whose manifest cannot be read.
        public var damaged: Int
        /// Why the index that was there was replaced, as the end of a sentence that begins with "the index"; nil if there was none, or it is kept.
        public var remade: String?
    }

    /// Compares every shot with the index, and closes the index as complete, so that it is trusted.
    /// - Parameters:
    ///   - clock: The clock for measuring the work.
    ///   - fromNothing: Delete the index first.
    ///   - checking: Read every manifest, and correct the index.
    /// - Throws: `conflict` if another program uses the library; `inputOutput`.
    public func run(
        _ clock: any TimeSource, fromNothing: Bool, checking: Bool = false
    ) async throws(StorageError) -> Result {
        do {
            let held = try lock()
            defer { withExtendedLifetime(held) {} }
            if fromNothing { try deleteIndex() }
            let keeper = try IndexWriter(library, file)
            let changed = try await keeper.compare(clock) { _ in }
            let wrong = checking ? try await keeper.check() : 0
            let remade: String? = if case .remade(let reason) = keeper.origin { reason } else { nil }
            let result = Result(
                shots: try keeper.shotCount(), changed: changed, wrong: wrong, damaged: try keeper.damagedCount(),
                remade: remade)
            try keeper.close(isComplete: true)
            return result
        } catch let inUse as FolderInUse {
            throw StorageError(
                .conflict, "index", file.path,
                "another program uses the library and updates its index itself: \(inUse)")
        } catch let error as StorageError {
            throw error
        } catch {
            throw StorageError(
                .inputOutput, "index", file.path, "the index \(file.path) \(IndexFault.reason(of: error))")
        }
    }

    private func deleteIndex() throws {
        let lock = try file.lock()
        defer { withExtendedLifetime(lock) {} }
        try file.remove()
    }
}
