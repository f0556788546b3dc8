internal import CaptureModel
internal import ImageMetadata
internal import PosixSupport
internal import StorageKit

/// Makes and removes small pictures of one library. Not `Sendable`: belongs to the thread it is used on, and blocks it.
final class PreviewWork {
    /// A file of which small pictures are to be made.
    struct Order {
        var key: FileKey
        var day: String
        var source: PictureSource
        var orientation: EXIFOrientation
    }

    /// What a shot lacks.
    struct Missing {
        var orders: [Order] = []
        /// Of the manifest that says so.
        var stamp: String
    }

    private let library: any ShotReading & AssetReading
    private let store: PreviewStore
    private let reducer: PictureReducer

    /// - Parameter folder: The folder in which the small pictures have their own.
    /// - Throws: `FolderInUse` where another program does this work; `PosixError`, ``PictureProblem``.
    init(_ library: any ShotReading & AssetReading, folder: String) throws {
        self.library = library
        store = try PreviewStore(library: folder)
        reducer = try PictureReducer()
    }

    /// The days that the library or the small pictures have.
    func days() async throws -> Set<String> {
        Set(try await library.days().map(\.name)).union(try store.days())
    }

    /// Removes the small pictures of shots that are gone from a day.
    /// - Returns: Its shots whose manifest is not that of which the small pictures were made, oldest first.
    func compare(day: String) async throws -> [PreviewQueue.Place] {
        let found = try await library.list(day)
        let present = Set(found.map(\.id))
        for id in try store.shots(ofDay: day) where !present.contains(id) { try store.remove(id, day: day) }
        return try found.filter { try store.stamp(of: $0.id, day: day) != $0.stamp.manifest }
            .map { PreviewQueue.Place(id: $0.id, day: day) }
    }

    /// What a shot lacks; nil where it has no manifest that can be read.
    func missing(of place: PreviewQueue.Place) async throws -> Missing? {
        guard let record = try await library.record(of: place.id, day: place.day) else {
            try store.remove(place.id, day: place.day)
            return nil
        }
        guard case .shot(let shot, _) = record.content else { return nil }
        var missing = Missing(stamp: record.stamp.manifest)
        for capture in shot.captures {
            let kinds = Set(capture.files.filter(\.isStored).map(\.kind))
            for kind in AssetKind.allCases where kinds.contains(kind) {
                let key = FileKey(capture: CaptureKey(shot: shot.id, device: capture.device.id), kind: kind)
                guard let source = PictureSource(kind, beside: kinds), try !store.isSettled(key, day: place.day)
                else { continue }
                missing.orders.append(
                    Order(key: key, day: place.day, source: source, orientation: EXIFOrientation(of: capture)))
            }
        }
        return missing
    }

    /// Makes the small pictures of a file, or writes down why there are none.
    /// - Returns: Why there are none; nil where they are made.
    /// - Throws: `StorageError` where the file cannot be read, ``StoreFailure`` where nothing can be written.
    func make(_ order: Order) async throws -> PictureProblem? {
        do {
            let pictures = try reducer.reduce(try await jpeg(order), orientation: order.orientation)
            try StoreFailure.of { () throws(PosixError) in try store.put(pictures, of: order.key, day: order.day) }
            return nil
        } catch let problem as PictureProblem {
            try StoreFailure.of { () throws(PosixError) in try store.put(problem, of: order.key, day: order.day) }
            return problem
        }
    }

    /// Notes that a shot lacks nothing.
    func finish(_ place: PreviewQueue.Place, stamp: String) throws(StoreFailure) {
        try StoreFailure.of { () throws(PosixError) in try store.setStamp(stamp, of: place.id, day: place.day) }
    }

    /// Removes every small picture.
    func removeAll() throws {
        for day in try store.days() {
            for id in try store.shots(ofDay: day) { try store.remove(id, day: day) }
        }
    }

    private func jpeg(_ order: Order) async throws -> [UInt8] {
        guard let byteCount = try await library.byteCount(of: order.key) else {
            throw StorageError(
                .notFound, "read", order.key, "\(order.key) is not in the library, though its manifest says so")
        }
        return try await order.source.jpeg(of: StoredPicture(store: library, key: order.key, byteCount: byteCount))
    }
}

/// The tree of small pictures cannot be written.
struct StoreFailure: Error {
    var cause: PosixError

    static func of(_ work: () throws(PosixError) -> Void) throws(StoreFailure) {
        do {
            try work()
        } catch {
            throw StoreFailure(cause: error)
        }
    }
}

extension EXIFOrientation {
    /// How the stored pixels of a capture are to be turned.
    init(of capture: Capture) {
        let value = capture.resolved?.orientation.exifValue(isMirrored: capture.resolved?.mirrored ?? false) ?? 1
        self = EXIFOrientation(rawValue: UInt16(value)) ?? .up
    }
}
