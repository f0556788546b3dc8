internal import CaptureModel

/// Follows the chain through the files of a log, oldest first. A value type: the bytes of the files are its input.
struct AuditChainCheck {
    /// The most problems that are described; all are counted.
    static let problemLimit = 100

    private(set) var intact: [ClosedRange<UInt64>] = []
    private(set) var problems: [AuditProblem] = []
    private(set) var problemCount = 0
    private(set) var unfinishedBytes = 0
    /// Whether the last line that was checked follows from those before it.
    private(set) var isEndIntact = false
    /// The record with the number of `sought`, if its place in the chain is verified; or the hash that a file names for it.
    private(set) var found: AuditHead?
    /// The newest record, or what a file says is the record before its first.
    private(set) var head: AuditHead?
    /// The number of the oldest record; nil if there are no files.
    private(set) var oldest: UInt64?
    private let sought: UInt64?
    /// The record that the next one must follow; nil if it is unknown.
    private var previous: AuditHead?
    private var isFirstFile = true

    /// - Parameter sought: The number of the record that is compared with an exported head.
    init(seeking sought: UInt64? = nil) {
        self.sought = sought
    }

    /// Checks the next file.
    /// - Parameter isLast: Whether no file follows. Only then may a record be unfinished.
    mutating func check(_ segment: AuditSegment, _ bytes: [UInt8], isLast: Bool) {
        let lines = AuditLines(bytes)
        oldest = oldest ?? segment.first
        if isLast, lines.complete.isEmpty {
            unfinishedBytes = lines.tail.count
            return
        }
        checkHeader(lines.complete.first.flatMap { AuditParser.header($0) }, of: segment)
        isFirstFile = false
        for (index, line) in lines.complete.enumerated().dropFirst() {
            check(line, at: AuditPlace(file: segment.name, line: index + 1))
        }
        guard !lines.tail.isEmpty else { return }
        if isLast, lines.isTailTorn {
            unfinishedBytes = lines.tail.count
        } else {
            report(.noRecord, at: AuditPlace(file: segment.name, line: lines.complete.count + 1))
        }
    }

    private mutating func checkHeader(_ header: AuditSegmentHeader?, of segment: AuditSegment) {
        let place = AuditPlace(file: segment.name, line: 1)
        guard let header, header.first == segment.first else {
            previous = nil
            return report(.noHeader, at: place)
        }
        if !isFirstFile, previous != header.head {
            let isNew = header.previous == .beforeChain
            report(isNew ? .newChain : .missingRecords, at: place)
        }
        previous = header.head
        head = header.head
        note(header.head)
    }

    private mutating func check(_ line: ArraySlice<UInt8>, at place: AuditPlace) {
        guard let record = AuditParser.record(line) else {
            previous = nil
            return report(.noRecord, at: place)
        }
        head = record.head
        defer { previous = record.head }
        // After a line that is not a record, the next one has nothing to be compared with.
        guard let previous else { return }
        guard record.sequence == previous.sequence + 1 else { return report(.wrongNumber, at: place) }
        guard record.follows(previous.hash) else { return report(.changed, at: place) }
        extend(record.sequence)
        note(record.head)
    }

    private mutating func extend(_ sequence: UInt64) {
        isEndIntact = true
        if let last = intact.last, last.upperBound == sequence - 1 {
            intact[intact.count - 1] = last.lowerBound...sequence
        } else {
            intact.append(sequence...sequence)
        }
    }

    private mutating func note(_ head: AuditHead) {
        if head.sequence == sought, head.hash != .beforeChain || head.sequence == 0 { found = head }
    }

    private mutating func report(_ reason: AuditProblem.Reason, at place: AuditPlace) {
        problemCount += 1
        isEndIntact = false
        if problems.count < Self.problemLimit { problems.append(AuditProblem(place: place, reason: reason)) }
    }
}

/// A line of a log.
public struct AuditPlace: Hashable, Sendable, CustomStringConvertible {
    public let file: String
    /// Counted from 1, which is the header.
    public let line: Int

    public var description: String { "\(file):\(line)" }
}

/// A place at which a log does not verify.
public struct AuditProblem: Hashable, Sendable, CustomStringConvertible {
    public enum Reason: String, Hashable, Sendable, CaseIterable {
        case noHeader
        case noRecord
        case changed
        case wrongNumber
        case missingRecords
        case newChain
    }

    public let place: AuditPlace
    public let reason: Reason

    public var description: String {
        switch reason {
        case .noHeader: "\(place): the first line is not the header of an audit log; it was changed"
        case .noRecord: "\(place): the line is not a record; it was changed"
        case .changed: "\(place): the record does not follow from the one before; one of them was changed or exchanged"
        case .wrongNumber: "\(place): the record has not the next number; records before it were removed or added"
        case .missingRecords: "\(place): the file does not follow from the one before; records between them are missing"
        case .newChain: "\(place): a new chain begins here; nothing vouches for the records before it"
        }
    }
}
