public import CaptureModel
internal import StorageKit

/// Shots as one ZIP archive, which contains the files that ``ShotExport/run(_:as:to:progress:)`` puts into a folder.
///
/// Its length is known before its first byte. A file that turns out to be missing, damaged or unreadable is left out as in a folder, and
/// the bytes that it would have had are filled with zeros in front of the archive's directory, where no program looks.
public struct ExportArchive: Sendable {
    private let store: any ShotLookup & AssetRangeReading
    private let plan: ExportPlan
    /// The length of the archive.
    public let byteCount: Int64
    /// `CLOCK_REALTIME` of the first shot's T.
    public var realtimeNanoseconds: Int64 { plan.shots.map(\.realtimeNanoseconds).min() ?? 0 }
    /// The number of stored files that it includes, without those that are made for it.
    public var fileCount: Int { plan.items.count(where: \.file.isStored) }
    /// The number of shots.
    public var shotCount: Int { plan.shots.count }

    /// - Throws: `conflict` if no shot has a file that the layout includes; `corrupted` if the manifests contain impossible lengths.
    init(_ store: any ShotLookup & AssetRangeReading, _ plan: ExportPlan) async throws(ExportError) {
        guard plan.items.contains(where: \.file.isStored) else {
            throw ExportError(
                .conflict, "export", plan.shots.map(\.id.description).joined(separator: ", "),
                "no file can be exported: none that the layout '\(plan.layout.rawValue)' includes is stored")
        }
        try Self.checkLengths(plan)
        self.store = store
        self.plan = plan
        byteCount = try await Self.byteCount(store, plan)
    }

    /// Checks that lengths can be added up: a manifest can contain any number.
    private static func checkLengths(_ plan: ExportPlan) throws(ExportError) {
        let most: Int64 = 1 << 50
        var sum: Int64 = 0
        for item in plan.items where item.file.isStored {
            let byteCount = item.file.byteCount ?? 0
            guard (0...most).contains(byteCount), sum + byteCount <= most else {
                throw ExportError(
                    .corrupted, "export", item.key,
                    "the manifest of \(item.key.capture.shot) says that \(item.path) has \(byteCount) bytes, which is not possible"
                )
            }
            sum += byteCount
        }
    }

    /// Writes the archive. Every file is hashed while it is read.
    ///
    /// Holds at most 16 MiB of one file, and reads no more while `take` works.
    /// - Parameter take: Called with the bytes of the archive in order, at most 16 MiB at a time.
    /// - Returns: The outcome of each file, which the archive also contains.
    /// - Throws: What `take` throws; `inputOutput` if so many files are left out that their reasons do not fit into ``byteCount``. What was
    ///   written until then is not an archive, since its directory is its end.
    public func write(
        _ take: @escaping (_ bytes: [UInt8]) async throws -> Void
    ) async throws(ExportError) -> ExportReport {
        let target = ArchiveTarget(byteCount: byteCount, realtimeNanoseconds: realtimeNanoseconds, take)
        var writer = ExportWriter(store, plan, target)
        let report = try await writer.run { _, _ in }
        try await target.finish()
        return report
    }

    /// The length of the archive if all files are as the manifests say, and the room for reasons if they are not.
    private static func byteCount(
        _ store: any ShotLookup & AssetRangeReading, _ plan: ExportPlan
    ) async throws(ExportError) -> Int64 {
        var length = ArchiveLength()
        for item in plan.items where item.file.isStored {
            let byteCount = item.file.byteCount ?? 0
            length.add(item.path, byteCount: byteCount, hasChecksum: byteCount <= ArchiveTarget.heldByteCount)
            // If it is left out, its own bytes make room for the reason, unless they are few or are sent before the last is known.
            if !(reasonByteCount...ArchiveTarget.heldByteCount).contains(byteCount) { length.reserve(reasonByteCount) }
        }
        let companions = ExportCompanions(plan: plan, store: store, sidecars: [:])
        _ = try await companions.make(for: plan.items.map(ExportedFile.init(expecting:))) { bytes, names in
            length.add(names.joined(separator: "/"), byteCount: Int64(bytes.count), hasChecksum: true)
        }
        if plan.layout == .timeline { length.reserve(timelineByteCount(plan)) }
        return length.byteCount
    }

    /// The most that the reason of a file which is left out adds to `shot.json` and `export.json`.
    private static let reasonByteCount: Int64 = 4096

    /// The most that timelines need, which are made of sidecars that are not read yet: title and note, each movie, each mark.
    private static func timelineByteCount(_ plan: ExportPlan) -> Int64 {
        let movies = plan.items.count(where: \.key.kind.isMovie)
        let marks = plan.shots.reduce(0) { $0 + ($1.take?.marks.count ?? 0) }
        return Int64(plan.shots.count << 20 + movies << 14 + marks << 13)
    }
}

/// Adds up the length of an archive.
private struct ArchiveLength {
    private var zip = ZIPStream()
    private var reserved: Int64 = 0

    mutating func add(_ path: String, byteCount: Int64, hasChecksum: Bool) {
        _ = zip.begin(path, byteCount: byteCount, realtimeNanoseconds: 0, checksum: hasChecksum ? 0 : nil)
        zip.advance(by: byteCount)
        _ = zip.end(checksum: 0)
    }

    mutating func reserve(_ byteCount: Int64) { reserved += byteCount }

    var byteCount: Int64 { zip.shortestByteCount + reserved }
}

/// Writes an export as an archive, piece by piece.
final class ArchiveTarget: ExportTarget {
    /// Files up to this length are compared with their manifest before their first byte is written.
    static let heldByteCount: Int64 = 16 << 20

    private var zip = ZIPStream()
    private let byteCount: Int64
    private let realtimeNanoseconds: Int64
    private let take: (_ bytes: [UInt8]) async throws -> Void

    /// - Parameter realtimeNanoseconds: The time of files that are made.
    init(
        byteCount: Int64, realtimeNanoseconds: Int64, _ take: @escaping (_ bytes: [UInt8]) async throws -> Void
    ) {
        self.byteCount = byteCount
        self.realtimeNanoseconds = realtimeNanoseconds
        self.take = take
    }

    /// An archive has begun before it is known that it has no file.
    var mayLackFiles: Bool { true }

    func add(_ source: inout ExportSource) async throws(ExportError) -> ExportedFile.Outcome {
        if source.item.file.byteCount ?? 0 <= Self.heldByteCount {
            try await addHeld(&source)
        } else {
            try await addStreamed(&source)
        }
        return source.failure?.outcome ?? .copied
    }

    private func addHeld(_ source: inout ExportSource) async throws(ExportError) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Int(source.item.file.byteCount ?? 0))
        while true {
            let piece = await source.next()
            guard !piece.isEmpty else { break }
            bytes += piece
        }
        guard source.failure == nil else { return }
        try await write(bytes, to: source.item.path, source.item.realtimeNanoseconds)
    }

    private func addStreamed(_ source: inout ExportSource) async throws(ExportError) {
        let item = source.item
        try await send(
            zip.begin(
                item.path, byteCount: item.file.byteCount ?? 0, realtimeNanoseconds: item.realtimeNanoseconds,
                checksum: nil))
        var checksum = CRC32()
        while true {
            let piece = await source.next()
            guard !piece.isEmpty else { break }
            checksum.update(piece.span)
            zip.advance(by: Int64(piece.count))
            try await send(piece)
        }
        let isWhole = source.failure == nil
        try await send(isWhole ? zip.end(checksum: checksum.value) : zip.abandon(checksum: checksum.value))
    }

    func write(_ bytes: [UInt8], to names: [String]) async throws(ExportError) {
        try await write(bytes, to: names.joined(separator: "/"), realtimeNanoseconds)
    }

    private func write(_ bytes: [UInt8], to path: String, _ time: Int64) async throws(ExportError) {
        let checksum = CRC32(bytes).value
        let count = Int64(bytes.count)
        let header = zip.begin(path, byteCount: count, realtimeNanoseconds: time, checksum: checksum)
        zip.advance(by: count)
        _ = zip.end(checksum: checksum)
        try await send(header)
        try await send(bytes)
    }

    /// Writes the end of the archive.
    func finish() async throws(ExportError) {
        guard var missing = zip.filler(endingAt: byteCount) else {
            throw ExportError(
                .inputOutput, "write", "the archive",
                "too many files are left out; export fewer shots, or verify them first (`capctl shots verify`)")
        }
        while missing > 0 {
            let zeros = [UInt8](repeating: 0, count: Int(min(missing, Int64(ExportSource.pieceByteCount))))
            zip.advance(by: Int64(zeros.count))
            missing -= Int64(zeros.count)
            try await send(zeros)
        }
        try await send(zip.directory(endingAt: byteCount))
    }

    private func send(_ bytes: [UInt8]) async throws(ExportError) {
        guard !bytes.isEmpty else { return }
        do {
            try await take(bytes)
        } catch {
            throw ExportError(.inputOutput, "write", "the archive", "\(error)")
        }
    }
}
