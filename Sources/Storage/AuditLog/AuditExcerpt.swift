/// Records of an audit log that were read from its newest end, each verified against the record before it.
public struct AuditExcerpt: Hashable, Sendable {
    /// The most problems that are described.
    static let problemLimit = 100

    /// Records that pass the filter, the newest first.
    public internal(set) var records: [AuditRecord] = []
    /// The numbers of all records that were read, also of those that the filter left out; nil if there were none.
    public internal(set) var read: ClosedRange<UInt64>?
    /// Where records do not follow from those before them, the newest first; at most 100.
    public internal(set) var problems: [AuditExcerptProblem] = []
    /// Where to continue; nil if there are no older records.
    public internal(set) var next: AuditPosition?

    /// Whether every record that was read follows from the one before it.
    public var isIntact: Bool { problems.isEmpty }
}

/// A place in an audit log between two lines. What lies before it is older.
public struct AuditPosition: Hashable, Sendable {
    /// The number of the first record of a file.
    public let file: UInt64
    /// Bytes from the start of the file to the end of a line.
    public let end: Int64

    public init(file: UInt64, end: Int64) {
        self.file = file
        self.end = end
    }
}

/// A place at which records that were read do not follow from each other.
public struct AuditExcerptProblem: Hashable, Sendable, CustomStringConvertible {
    public let reason: AuditProblem.Reason
    public let file: String
    /// The next newer record that could be read; nil if there is none in this excerpt.
    public let record: UInt64?

    public var description: String {
        let place = record.map { "\(file), before record \($0)" } ?? "\(file), at the end"
        return switch reason {
        case .noHeader: "\(place): the first line is not the header of an audit log; it was changed"
        case .noRecord: "\(place): the line is not a record; it was changed"
        case .changed: "\(place): the record does not follow from the one before; one of them was changed or exchanged"
        case .wrongNumber: "\(place): the record before has not the number before; records were removed or added"
        case .missingRecords: "\(place): the file does not follow from the one before; records between them are missing"
        case .newChain: "\(place): a new chain begins here; nothing vouches for the records before it"
        }
    }
}

/// Follows the chain through lines that come newest first. A value type: the lines are its input.
///
/// A record belongs to the excerpt once the record before it is known. So an excerpt that continues another leaves no link unverified
/// between them.
struct AuditBackwardScan {
    private(set) var excerpt = AuditExcerpt()
    private let limit: Int
    private let filter: AuditFilter
    /// The oldest record so far, whose predecessor is not known.
    private var pending: (record: AuditRecord, end: AuditPosition)?
    /// The header between `pending` and the next line, if that is the last of the file before.
    private var header: AuditSegmentHeader?

    /// - Parameter limit: The most records of the excerpt, at least 1.
    init(limit: Int, _ filter: AuditFilter) {
        self.limit = max(1, limit)
        self.filter = filter
    }

    /// Whether the excerpt has as many records as it may, and is known to continue.
    var isComplete: Bool { excerpt.next != nil }

    /// Takes a line that is not a header. Afterwards the excerpt may be complete; then the next one begins with this line.
    mutating func take(_ line: ArraySlice<UInt8>, endingAt end: AuditPosition) {
        let record = AuditParser.record(line)
        if let reason = reason(against: record) { report(reason, in: AuditSegment(first: end.file)) }
        settle()
        pending = record.map { ($0, end) }
        if excerpt.records.count >= limit { excerpt.next = end }
    }

    /// Takes the first line of a file, after its records.
    mutating func takeHeader(_ line: ArraySlice<UInt8>, of segment: AuditSegment) {
        guard let found = AuditParser.header(line), found.first == segment.first else {
            report(.noHeader, in: segment)
            return settle()
        }
        if let first = pending?.record {
            if first.sequence != found.first {
                report(.wrongNumber, in: segment)
            } else if !first.follows(found.previous) {
                report(.changed, in: segment)
            }
        }
        header = found
    }

    /// Ends the excerpt at the beginning of the log, or of what is left of it.
    mutating func end() {
        settle()
    }

    /// Ends the excerpt before what was not read.
    mutating func interrupt(at position: AuditPosition) {
        excerpt.next = pending?.end ?? position
    }

    mutating func report(_ reason: AuditProblem.Reason, in segment: AuditSegment) {
        guard excerpt.problems.count < AuditExcerpt.problemLimit else { return }
        let problem = AuditExcerptProblem(
            reason: reason, file: segment.name, record: pending?.record.sequence ?? excerpt.records.last?.sequence)
        excerpt.problems.append(problem)
    }

    /// Why the newer record or file does not follow from this one; nil if it does, or if there is none.
    private func reason(against record: AuditRecord?) -> AuditProblem.Reason? {
        guard let record else { return .noRecord }
        if let header {
            guard header.head != record.head else { return nil }
            return header.previous == .beforeChain ? .newChain : .missingRecords
        }
        guard let newer = pending?.record else { return nil }
        guard record.sequence + 1 == newer.sequence else { return .wrongNumber }
        return newer.follows(record.chain) ? nil : .changed
    }

    private mutating func settle() {
        header = nil
        guard let record = pending?.record else { return }
        pending = nil
        let read = excerpt.read ?? record.sequence...record.sequence
        // A number that somebody has changed may be any.
        excerpt.read = min(read.lowerBound, record.sequence)...max(read.upperBound, record.sequence)
        if filter.passes(record) { excerpt.records.append(record) }
    }
}
