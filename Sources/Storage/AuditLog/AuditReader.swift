internal import Glibc
public import PosixSupport

/// Reads and verifies an audit log, also while a program writes it. Blocks on the disk.
public struct AuditReader: Sendable {
    /// The longest file that is read.
    static let fileLimit = 64 << 20
    private let folder: Folder

    /// - Throws: `notFound` if there is no folder at `path`.
    public init(folder path: String, fault: FileFault? = nil) throws(AuditError) {
        do throws(PosixError) {
            folder = try Folder(opening: path, fault: fault)
        } catch {
            guard error.code == ENOENT else { throw AuditError(error) }
            throw AuditError(.notFound, "open", path, "there is no audit log in \(path); check the path")
        }
    }

    /// Returns records, newest first. It does not verify them.
    /// - Parameters:
    ///   - before: Only records with lower numbers; nil begins with the newest.
    ///   - limit: The most records to return.
    ///   - kinds: Only records of these kinds; nil for all.
    ///   - principal: Only records of the principal with this name; nil for all.
    public func list(
        before: UInt64? = nil, limit: Int, kinds: Set<AuditKind>? = nil, principal: String? = nil
    ) throws(AuditError) -> AuditPage {
        var page = AuditPage()
        guard limit > 0 else { return page }
        let segments = try auditing { () throws(PosixError) in try folder.auditSegments() }
        for segment in segments.reversed() where before.map({ segment.first < $0 }) ?? true {
            // A file that the writer has removed meanwhile was the oldest.
            guard let bytes = try read(segment) else { break }
            for line in AuditLines(bytes).complete.dropFirst().reversed() {
                guard let record = AuditParser.record(line) else {
                    page.unreadable += 1
                    continue
                }
                guard before.map({ record.sequence < $0 }) ?? true, kinds?.contains(record.entry.kind) ?? true,
                    principal.map({ record.entry.principal.name == $0 }) ?? true
                else { continue }
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
    /// - Throws: `damaged` if the last line is no record.
    public func head() throws(AuditError) -> AuditHead? {
        let verification = try verify()
        guard let last = verification.head, last.sequence > 0 else { return nil }
        guard verification.intact.last?.upperBound == last.sequence else {
            throw AuditError(
                .damaged, "export the head of", folder.path,
                "the newest records of the audit log \(folder.path) are not intact; verify the log")
        }
        return last
    }

    /// Verifies every record.
    /// - Parameter exported: A head that was exported before, with which the log is compared.
    public func verify(against exported: AuditHead? = nil) throws(AuditError) -> AuditVerification {
        // The writer may remove the oldest file meanwhile.
        for _ in 0..<8 {
            if let check = try check(seeking: exported) { return AuditVerification(check, exported) }
        }
        throw AuditError(
            .inputOutput, "verify", folder.path,
            "the files of the audit log \(folder.path) disappear while it is verified; try again")
    }

    private func check(seeking exported: AuditHead?) throws(AuditError) -> AuditChainCheck? {
        var check = AuditChainCheck(seeking: exported?.sequence)
        let segments = try auditing { () throws(PosixError) in try folder.auditSegments() }
        for (index, segment) in segments.enumerated() {
            guard let bytes = try read(segment) else { return nil }
            check.check(segment, bytes, isLast: index == segments.count - 1)
        }
        return check
    }

    /// Reads a file; nil if it does not exist any more.
    private func read(_ segment: AuditSegment) throws(AuditError) -> [UInt8]? {
        do throws(PosixError) {
            return try folder.read(segment.name, limit: Self.fileLimit)
        } catch {
            guard error.code == ENOENT else { throw AuditError(error) }
            return nil
        }
    }
}

/// Records of a log, newest first.
public struct AuditPage: Hashable, Sendable {
    public internal(set) var records: [AuditRecord] = []
    /// Where the next page begins; nil if there are no older records.
    public internal(set) var next: UInt64?
    /// Lines that are no records.
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
    /// Bytes at the end that are no complete record: one is being written, or a crash has left them.
    public let unfinishedBytes: Int
    /// The newest record; nil if there are none.
    public let head: AuditHead?
    /// nil if no head was given.
    public let comparison: Comparison?

    public var isIntact: Bool { problemCount == 0 && (comparison ?? .matches) == .matches }

    init(_ check: AuditChainCheck, _ exported: AuditHead?) {
        intact = check.intact
        problems = check.problems
        problemCount = check.problemCount
        unfinishedBytes = check.unfinishedBytes
        head = check.head
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
