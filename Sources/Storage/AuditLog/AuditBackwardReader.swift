internal import CaptureModel

/// Reads an audit log from its newest record back, a part at a time, and verifies what it has read. One excerpt costs a bounded amount of
/// reading and memory, however long the log is and however few records match.
public struct AuditBackwardReader: Sendable {
    /// The most bytes that a source returns at once: 1 MiB.
    public static let partByteCount = 1 << 20
    /// The most parts that are read for one excerpt.
    static let partLimit = 4

    private let source: any AuditPartSource

    public init(_ source: any AuditPartSource) {
        self.source = source
    }

    /// Returns records, newest first.
    /// - Parameters:
    ///   - position: Where an earlier excerpt ended; nil begins with the newest record. If the writer has removed that file since, the
    ///     excerpt is empty.
    ///   - limit: The most records. There may be fewer, also none, with ``AuditExcerpt/next`` to continue.
    /// - Throws: `invalidRequest` if there is no line that ends at `position`; or what the source throws.
    public func excerpt(
        before position: AuditPosition? = nil, limit: Int, _ filter: AuditFilter = AuditFilter()
    ) async throws -> AuditExcerpt {
        var older = try await source.files().sorted()
        let newest = older.last
        var scan = AuditBackwardScan(limit: limit, filter)
        var place = position
        if let position {
            guard position.end > 0 else { throw Self.noLine(at: position) }
            older.removeAll { $0 > position.file }
            guard older.popLast() == position.file else { return scan.excerpt }
        }
        for _ in 0..<Self.partLimit {
            if place == nil { place = try await end(of: &older) }
            guard let end = place, let part = try await read(end, isNewest: end.file == newest, position) else {
                scan.end()
                return scan.excerpt
            }
            place = part.scan(with: &scan)
            if scan.isComplete { return scan.excerpt }
        }
        if place == nil { place = try await end(of: &older) }
        if let place { scan.interrupt(at: place) } else { scan.end() }
        return scan.excerpt
    }

    /// The end of the newest of these files, which is removed from them; nil if it is no longer there, as are those before it.
    private func end(of files: inout [UInt64]) async throws -> AuditPosition? {
        guard let file = files.popLast() else { return nil }
        guard let count = try await source.byteCount(of: file) else {
            files = []
            return nil
        }
        return AuditPosition(file: file, end: count)
    }

    private func read(_ end: AuditPosition, isNewest: Bool, _ asked: AuditPosition?) async throws -> AuditFilePart? {
        let start = max(0, end.end - Int64(Self.partByteCount))
        guard let bytes = try await source.read(end.file, at: start) else { return nil }
        let part = AuditFilePart(
            file: end.file, start: start, bytes: Array(bytes.prefix(Int(end.end - start))), isNewest: isNewest)
        guard end != asked || part.end == end.end && part.bytes.last == UInt8(ascii: "\n") else {
            throw Self.noLine(at: end)
        }
        return part
    }

    private static func noLine(at position: AuditPosition) -> AuditError {
        let file = AuditSegment(first: position.file).name
        return AuditError(
            .invalidRequest, "read", file,
            "no line of the audit log's file \(file) ends at byte \(position.end); begin with the newest record")
    }
}

/// Bytes of a file of an audit log, up to the end of a line or of the file.
private struct AuditFilePart {
    let file: UInt64
    let start: Int64
    let bytes: [UInt8]
    /// Whether the file is the log's last. Only there may a record be unfinished.
    let isNewest: Bool

    var end: Int64 { start + Int64(bytes.count) }

    /// Hands on the complete lines, the newest first, until the scan is complete.
    /// - Returns: Where to continue in this file; nil if nothing of it is left.
    func scan(with scan: inout AuditBackwardScan) -> AuditPosition? {
        let (lines, segment) = (AuditLines(bytes), AuditSegment(first: file))
        guard let first = lines.complete.first else {
            if !isNewest || start > 0 { scan.report(.noHeader, in: segment) }
            return nil
        }
        if !lines.tail.isEmpty, !isNewest || !lines.isTailTorn { scan.report(.noRecord, in: segment) }
        for line in lines.complete.dropFirst().reversed() {
            scan.take(line, endingAt: position(after: line))
            if scan.isComplete { return nil }
        }
        guard start > 0 else {
            scan.takeHeader(first, of: segment)
            return nil
        }
        guard lines.complete.count > 1 else {
            // No record is as long as a part.
            scan.report(.noRecord, in: segment)
            return nil
        }
        // The first line may be the rest of one that begins before this part.
        return position(after: first)
    }

    private func position(after line: ArraySlice<UInt8>) -> AuditPosition {
        AuditPosition(file: file, end: start + Int64(line.endIndex) + 1)
    }
}
