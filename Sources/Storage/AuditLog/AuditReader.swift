public import CaptureModel
public import PosixSupport

/// Reads and verifies an audit log, also while a program writes it.
public struct AuditReader: Sendable {
    private let source: any AuditSource

    public init(_ source: any AuditSource) {
        self.source = source
    }

    /// Reads a folder. Blocks on the disk.
    /// - Throws: `notFound` if there is no folder at `path`.
    public init(folder path: String, fault: FileFault? = nil) throws(AuditError) {
        self.init(try AuditFolder(path, fault: fault))
    }

    /// Returns records, newest first. It does not verify them.
    /// - Parameters:
    ///   - before: Only records with lower numbers; nil begins with the newest.
    ///   - limit: The most records to return.
    ///   - filter: Only records that pass it.
    public func list(
        before: UInt64? = nil, limit: Int, _ filter: AuditFilter = AuditFilter()
    ) async throws -> AuditPage {
        var page = AuditPage()
        guard limit > 0 else { return page }
        for segment in try await segments().reversed() where before.map({ segment.first < $0 }) ?? true {
            // A file that the writer has removed since was the oldest.
            guard let bytes = try await source.read(segment.first) else { break }
            for line in AuditLines(bytes).complete.dropFirst().reversed() {
                guard let record = AuditParser.record(line) else {
                    page.unreadable += 1
                    continue
                }
                guard before.map({ record.sequence < $0 }) ?? true, filter.passes(record) else { continue }
                guard page.records.count < limit else {
                    page.next = page.records.last?.sequence
                    return page
                }
                page.records.append(record)
            }
        }
        return page
    }

    /// The end of the log, to be kept elsewhere; nil if there are no records.
    /// - Throws: `damaged` if the last line is not a record.
    public func head() async throws -> AuditHead? {
        let verification = try await verify()
        guard let last = verification.head, last.sequence > 0 else { return nil }
        guard verification.isHeadIntact else {
            throw AuditError(
                .damaged, "export the head of", source.name,
                "the newest records of the audit log \(source.name) are not intact; verify the log")
        }
        return last
    }

    /// Verifies every record.
    /// - Parameter exported: A head that was exported before, with which the log is compared.
    public func verify(against exported: AuditHead? = nil) async throws -> AuditVerification {
        // The writer may remove the oldest file while it is verified.
        for _ in 0..<8 {
            if let check = try await check(seeking: exported) { return AuditVerification(check, exported) }
        }
        throw AuditError(
            .inputOutput, "verify", source.name,
            "the files of the audit log \(source.name) disappear while it is verified; try again")
    }

    private func check(seeking exported: AuditHead?) async throws -> AuditChainCheck? {
        var check = AuditChainCheck(seeking: exported?.sequence)
        let segments = try await segments()
        for (index, segment) in segments.enumerated() {
            guard let bytes = try await source.read(segment.first) else { return nil }
            check.check(segment, bytes, isLast: index == segments.count - 1)
        }
        return check
    }

    private func segments() async throws -> [AuditSegment] {
        try await source.files().sorted().map(AuditSegment.init(first:))
    }
}

/// Which records are listed; every record passes an empty filter.
public struct AuditFilter: Hashable, Sendable {
    /// nil for all.
    public var kinds: Set<AuditKind>?
    /// The name of a principal; nil for all.
    public var principal: String?
    /// Only records with this time or a later one, in the form of ``AuditRecord/time``; nil for all.
    public var since: String?
    /// Only records with this text in the kind, the principal, the subject or the details; case is ignored. nil for all.
    public var text: String?

    public init(kinds: Set<AuditKind>? = nil, principal: String? = nil, since: String? = nil, text: String? = nil) {
        self.kinds = kinds
        self.principal = principal
        self.since = since
        self.text = text
    }

    func passes(_ record: AuditRecord) -> Bool {
        kinds?.contains(record.entry.kind) ?? true
            && principal.map { $0 == record.entry.principal.name } ?? true
            // The times of all records have one form, so they sort as texts.
            && since.map { $0 <= record.time } ?? true
            && text.map { record.entry.contains($0.lowercased()) } ?? true
    }
}

extension AuditEntry {
    /// - Parameter text: In lower case.
    fileprivate func contains(_ text: String) -> Bool {
        let texts =
            [kind.rawValue, principal.name, principal.fingerprint, subject] + details.map { "\($0.key)=\($0.value)" }
        return texts.contains { $0.lowercased().contains(text) }
    }
}

/// Records of a log, newest first.
public struct AuditPage: Hashable, Sendable {
    public internal(set) var records: [AuditRecord] = []
    /// Where the next page begins; nil if there are no older records.
    public internal(set) var next: UInt64?
    /// Lines that are not records.
    public internal(set) var unreadable = 0
}

/// What a verification found.
public struct AuditVerification: Hashable, Sendable {
    /// How a log compares with a head that was exported before.
    public enum Comparison: Hashable, Sendable {
        /// The record is in the log unchanged, and so is every record before it in its chain.
        case matches
        /// The log ends before the record: its newest records were removed.
        case cutBack(newest: UInt64)
        /// The record is another one, or is damaged or missing: the log was rewritten.
        case rewritten
        /// The record is older than the log, which is bounded and begins with `oldest`. Nothing can be said.
        case tooOld(oldest: UInt64)
    }

    /// The numbers of the records that follow from each other; one range if nothing is wrong. Nothing vouches for records outside.
    public let intact: [ClosedRange<UInt64>]
    /// What is wrong, in order; at most 100.
    public let problems: [AuditProblem]
    /// How many problems there are.
    public let problemCount: Int
    /// Bytes at the end that are not a complete record: one is being written, or a crash has left them.
    public let unfinishedBytes: Int
    /// The newest record; nil if there are none.
    public let head: AuditHead?
    /// nil if no head was given.
    public let comparison: Comparison?

    public var isIntact: Bool { problemCount == 0 && (comparison ?? .matches) == .matches }

    /// Whether the log's last line is a record that follows from those before it, so that ``head`` is worth keeping.
    public let isHeadIntact: Bool

    init(_ check: AuditChainCheck, _ exported: AuditHead?) {
        intact = check.intact
        problems = check.problems
        problemCount = check.problemCount
        unfinishedBytes = check.unfinishedBytes
        head = check.head
        isHeadIntact = check.isEndIntact
        comparison = exported.map { exported in
            if check.found == exported || exported.sequence == 0 { return .matches }
            guard let newest = check.head?.sequence, newest >= exported.sequence else {
                return .cutBack(newest: check.head?.sequence ?? 0)
            }
            if check.found == nil, let oldest = check.oldest, exported.sequence < oldest {
                return .tooOld(oldest: oldest)
            }
            return .rewritten
        }
    }
}
