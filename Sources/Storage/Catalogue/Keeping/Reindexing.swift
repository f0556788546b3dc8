public import CaptureModel
internal import PosixSupport
public import StorageKit

/// Brings the index of a library up to date where no coordinator does, so that searching its folder is quick.
public struct Reindexing: Sendable {
    private let library: any ShotReading
    private let lock: @Sendable () throws -> any Sendable
    private let file: IndexFile

    /// - Parameters:
    ///   - folder: The folder in which the index has its own, such as the library's.
    ///   - lock: The right to write the library, held until the last reference to the result goes: a coordinator that began meanwhile would
    ///     write manifests behind the comparison. Throws `FolderInUse`.
    public init(
        _ library: any ShotReading, folder: String, lock: @escaping @Sendable () throws -> any Sendable
    ) {
        self.library = library
        self.lock = lock
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
    ) async throws(StorageError) -> Result {
        do {
            let held = try lock()
            defer { withExtendedLifetime(held) {} }
            if fromNothing { try deleteIndex() }
            let keeper = try IndexKeeper(library, file)
            let changed = try await keeper.compare(clock) { _ in }
            let wrong = checking ? try await keeper.check() : 0
            let result = Result(
                shots: try keeper.shotCount(), changed: changed, wrong: wrong, damaged: try keeper.damagedCount(),
                remade: keeper.remade)
            try keeper.close(isComplete: true)
            return result
        } catch let inUse as FolderInUse {
            throw StorageError(
                .conflict, "index", file.path,
                "another program works in the library and keeps its index itself: \(inUse)")
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
