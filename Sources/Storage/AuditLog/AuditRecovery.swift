internal import CaptureModel
internal import Glibc
internal import PosixSupport

/// The state of a log, read from its last file when it is opened. Bytes that a crash left of a record are cut off.
struct AuditRecovery {
    private(set) var segments: [AuditSegment]
    private(set) var head = AuditHead.empty
    /// Whether the next record begins a file.
    private(set) var beginsFile = true
    /// Entries that say what was found.
    private(set) var notes: [AuditEntry] = []
    private var cutBytes = 0

    init(_ folder: Folder) throws(PosixError) {
        segments = try folder.auditSegments()
        for index in segments.indices {
            segments[index].byteCount = try folder.entry(segments[index].name)?.byteCount ?? 0
        }
        while let last = segments.last {
            guard let bytes = try Self.read(last, folder) else {
                restart(last, "the disk cannot read it")
                break
            }
            if try recover(last, bytes, folder) { break }
        }
        if cutBytes > 0 {
            notes.append(
                AuditEntry(
                    .recovered, subject: "\(cutBytes) bytes of an incomplete record were cut off",
                    details: ["bytes": "\(cutBytes)"]))
        }
    }

    /// Reads a file; nil if the disk cannot read it or it is too long to be one of a log.
    private static func read(_ segment: AuditSegment, _ folder: Folder) throws(PosixError) -> [UInt8]? {
        do {
            return try folder.read(segment.name, limit: AuditFolder.fileLimit)
        } catch {
            guard error.code == EIO || error.code == EFBIG else { throw error }
            return nil
        }
    }

    /// - Returns: Whether the end of the log is found. Otherwise the file had no complete line and was removed.
    private mutating func recover(_ last: AuditSegment, _ bytes: [UInt8], _ folder: Folder) throws(PosixError) -> Bool {
        let lines = AuditLines(bytes)
        guard !lines.complete.isEmpty else {
            cutBytes += bytes.count
            try folder.remove(last.name)
            segments.removeLast()
            return false
        }
        var check = AuditChainCheck()
        check.check(last, bytes, isLast: true)
        if let problem = check.problems.first {
            restart(last, problem.description)
            return true
        }
        if check.unfinishedBytes > 0 { try cut(check.unfinishedBytes, from: last, folder) }
        head = check.head ?? .empty
        beginsFile = false
        return true
    }

    private mutating func cut(_ count: Int, from last: AuditSegment, _ folder: Folder) throws(PosixError) {
        let file = try folder.open(last.name, for: .updating)
        let rest = last.byteCount - Int64(count)
        try file.setByteCount(rest)
        try file.sync()
        segments[segments.count - 1].byteCount = rest
        cutBytes += count
    }

    /// Begins a chain behind a damaged file. Its number is above all that the file can contain.
    private mutating func restart(_ last: AuditSegment, _ problem: String) {
        let records = UInt64(max(0, last.byteCount)) / UInt64(AuditRecord.lineMinimum) + 1
        head = AuditHead(sequence: last.first + records, hash: .beforeChain)
        notes.append(
            AuditEntry(
                .restarted, subject: "a new chain begins behind a damaged file",
                details: ["file": last.name, "problem": problem]))
    }
}
