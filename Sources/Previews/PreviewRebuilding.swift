public import CaptureModel
public import Library
internal import PosixSupport

/// Makes the small pictures that a library lacks, where no coordinator does. Blocks for as long as that takes.
public struct PreviewRebuilding: Sendable {
    private let library: LibraryReader
    private let folder: String

    /// - Parameter folder: The library's folder, the same that `library` reads.
    public init(_ library: LibraryReader, folder: String) {
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
    /// - Throws: ``CaptureProblem``: `conflict` where another program does this work; `inputOutput`, `noSpace`.
    public func run(fromNothing: Bool) throws(CaptureProblem) -> Result {
        do {
            let work = try PreviewWork(library, folder: folder)
            if fromNothing { try work.removeAll() }
            var result = Result()
            for day in try work.days().sorted() {
                for place in try work.compare(day: day) { try make(place, work, &result) }
            }
            return result
        } catch let inUse as FolderInUse {
            throw CaptureProblem(.conflict, "another program makes the small pictures of this library: \(inUse)")
        } catch let problem as CaptureProblem {
            throw problem
        } catch {
            throw CaptureProblem(
                .inputOutput, "small pictures cannot be kept: \((error as? StoreFailure)?.cause ?? error)")
        }
    }

    private func make(_ place: PreviewQueue.Place, _ work: PreviewWork, _ result: inout Result) throws {
        guard let missing = try work.missing(of: place) else { return }
        var isComplete = true
        for order in missing.orders {
            do {
                if let problem = try work.make(order) {
                    result.problems.append(.init(key: order.key, reason: problem.description))
                } else {
                    result.made += 1
                }
            } catch let problem as CaptureProblem {
                isComplete = false
                result.problems.append(.init(key: order.key, reason: problem.message))
            }
        }
        if isComplete { try work.finish(place, stamp: missing.stamp) }
    }
}
