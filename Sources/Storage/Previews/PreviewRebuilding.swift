public import CaptureModel
internal import PosixSupport
public import StorageKit

/// Makes the small pictures that a library lacks, where no coordinator does. Blocks for as long as that takes.
public struct PreviewRebuilding: Sendable {
    private let library: any ShotReading & AssetReading
    private let folder: String

    /// - Parameter folder: The folder in which the small pictures have their own, such as the library's.
    public init(_ library: any ShotReading & AssetReading, folder: String) {
        self.library = library
        self.folder = folder
    }

    /// What has become of the files that had none.
    public struct Result: Hashable, Sendable {
        /// Files of which small pictures were made.
        public var made = 0
        /// Files of which none can be made, with the reason.
        public var problems: [Problem] = []

        /// A file without small pictures.
        public struct Problem: Hashable, Sendable {
            public var key: FileKey
            public var reason: String
        }
    }

    /// - Parameter fromNothing: Remove all small pictures first, and try those again that could not be made.
    /// - Throws: `conflict` where another program does this work; `inputOutput`, `noSpace`.
    public func run(fromNothing: Bool) async throws(StorageError) -> Result {
        do {
            let work = try PreviewWork(library, folder: folder)
            if fromNothing { try work.removeAll() }
            var result = Result()
            for day in try await work.days().sorted() {
                for place in try await work.compare(day: day) { try await make(place, work, &result) }
            }
            return result
        } catch let inUse as FolderInUse {
            throw StorageError(
                .conflict, "write", folder, "another program makes the small pictures of this library: \(inUse)")
        } catch let error as StorageError {
            throw error
        } catch {
            throw StorageError(
                .inputOutput, "write", folder,
                "small pictures cannot be kept: \((error as? StoreFailure)?.cause ?? error)")
        }
    }

    private func make(_ place: PreviewQueue.Place, _ work: PreviewWork, _ result: inout Result) async throws {
        guard let missing = try await work.missing(of: place) else { return }
        var isComplete = true
        for order in missing.orders {
            do {
                if let problem = try await work.make(order) {
                    result.problems.append(.init(key: order.key, reason: problem.description))
                } else {
                    result.made += 1
                }
            } catch let problem as StorageError {
                isComplete = false
                result.problems.append(.init(key: order.key, reason: problem.description))
            }
        }
        if isComplete { try work.finish(place, stamp: missing.stamp) }
    }
}
