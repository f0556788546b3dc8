public import CaptureModel
internal import PosixSupport
public import StorageKit

/// Makes and removes small pictures of one library. Not `Sendable`: belongs to the thread that uses it, and blocks it.
final class PreviewWork {
    /// The missing small pictures of a shot.
    struct Missing {
        var files: [PicturedFile] = []
        /// The stamp of the manifest that names the files.
        var stamp: String
    }

    private let library: any ShotReading & AssetReading
    private let store: PreviewStore
    private let reducer: PictureScaler

    /// - Parameter folder: The folder that contains the folder of small pictures.
    /// - Throws: `FolderInUse` if another program makes small pictures of this library; `PosixError`, ``PictureProblem``.
    init(_ library: any ShotReading & AssetReading, folder: String) throws {
        self.library = library
        store = try PreviewStore(library: folder)
        reducer = try PictureScaler()
    }

    /// Returns the days of the library and of the small pictures.
    func days() async throws -> Set<String> {
        try store.refresh()
        return Set(try await library.days().map(\.name)).union(try store.days())
    }

    /// Removes the small pictures of a day's shots that no longer exist.
    /// - Returns: The day's shots whose manifest is not the one that their small pictures were made from, oldest first.
    func compare(day: String) async throws -> [PreviewQueue.Place] {
        let found = try await library.list(day)
        let present = Set(found.map(\.id))
        for id in try store.shots(ofDay: day) where !present.contains(id) { try store.remove(id, day: day) }
        return try found.filter { try store.stamp(of: $0.id, day: day) != $0.stamp.manifest }
            .map { PreviewQueue.Place(id: $0.id, day: day) }
    }

    /// Returns the missing small pictures of a shot; nil if it has no readable manifest.
    func missing(of place: PreviewQueue.Place) async throws -> Missing? {
        try store.refresh()
        guard let record = try await library.record(of: place.id, day: place.day) else {
            try store.remove(place.id, day: place.day)
            return nil
        }
        guard case .shot(let shot, _) = record.content else { return nil }
        var missing = Missing(stamp: record.stamp.manifest)
        for capture in shot.captures {
            for kind in AssetKind.allCases {
                guard let file = capture.files.first(where: { $0.kind == kind && $0.isStored }),
                    let pictured = PicturedFile(file, of: capture, in: shot.id, day: place.day),
                    try !isFinished(pictured)
                else { continue }
                missing.files.append(pictured)
            }
        }
        return missing
    }

    /// Returns whether a file has its small pictures, or something that says why not.
    func isFinished(_ file: PicturedFile) throws -> Bool { try store.isFinished(file.key, day: file.day) }

    /// Returns whether a file has small pictures that are not cut.
    func isComplete(_ file: PicturedFile) throws -> Bool {
        try StoreFailure.of { () throws(PosixError) -> Bool in
            for picture in SmallPicture.allCases {
                guard try store.tree.picture(picture, of: file.key, day: file.day) != nil else { return false }
            }
            return true
        }
    }

    /// Makes the small pictures of a file, or stores why there are none.
    /// - Returns: Why there are none; nil if they were made.
    /// - Throws: `StorageError` if the file cannot be read, ``StoreFailure`` if nothing can be written.
    func make(_ file: PicturedFile) async throws -> PictureProblem? {
        do {
            let pictures = try reducer.reduce(try await jpeg(file), orientation: file.orientation)
            try StoreFailure.of { () throws(PosixError) in try store.put(pictures, of: file.key, day: file.day) }
            return nil
        } catch let problem as PictureProblem {
            try StoreFailure.of { () throws(PosixError) in try store.put(problem, of: file.key, day: file.day) }
            return problem
        }
    }

    /// Records that a shot's small pictures are complete.
    func finish(_ place: PreviewQueue.Place, stamp: String) throws(StoreFailure) {
        try StoreFailure.of { () throws(PosixError) in try store.setStamp(stamp, of: place.id, day: place.day) }
    }

    /// Removes every small picture.
    func removeAll() throws {
        for day in try store.days() {
            for id in try store.shots(ofDay: day) { try store.remove(id, day: day) }
        }
    }

    private func jpeg(_ file: PicturedFile) async throws -> [UInt8] {
        guard let byteCount = try await library.byteCount(of: file.key) else {
            throw StorageError(
                .notFound, "read", file.key, "\(file.key) is not in the library, though its manifest says so")
        }
        if let expected = file.byteCount, expected != byteCount {
            throw StorageError(
                .corrupted, "read", file.key,
                "\(file.key) has \(byteCount) bytes, and its manifest says \(expected); "
                    + "`capctl shots verify \(file.key.capture.shot)` checks every file")
        }
        return try await file.source.jpeg(of: PictureFile(store: library, key: file.key, byteCount: byteCount))
    }
}

/// Makes the missing small pictures of a library when no coordinator does. Blocks while it works.
public struct PreviewRebuilding: Sendable {
    private let library: any ShotReading & AssetReading
    private let folder: String

    /// - Parameter folder: The folder that contains the folder of small pictures, such as the library's.
    public init(_ library: any ShotReading & AssetReading, folder: String) {
        self.library = library
        self.folder = folder
    }

    /// The outcome for files that had no small pictures.
    public struct Result: Hashable, Sendable {
        /// Files whose small pictures were made.
        public var made = 0
        /// Files of which no small picture can be made, with the reason.
        public var problems: [Problem] = []

        /// A file without small pictures.
        public struct Problem: Hashable, Sendable {
            public var key: FileKey
            public var reason: String
        }
    }

    /// - Parameter fromNothing: Remove all small pictures first, and retry those that could not be made.
    /// - Throws: `conflict` if another program makes small pictures of this library; `inputOutput`, `noSpace`.
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
                "small pictures cannot be written: \((error as? StoreFailure)?.cause ?? error)")
        }
    }

    private func make(_ place: PreviewQueue.Place, _ work: PreviewWork, _ result: inout Result) async throws {
        guard let missing = try await work.missing(of: place) else { return }
        var isComplete = true
        for file in missing.files {
            do {
                if let problem = try await work.make(file) {
                    result.problems.append(.init(key: file.key, reason: problem.description))
                } else {
                    result.made += 1
                }
            } catch let problem as StorageError {
                isComplete = false
                result.problems.append(.init(key: file.key, reason: problem.description))
            }
        }
        if isComplete { try work.finish(place, stamp: missing.stamp) }
    }
}
