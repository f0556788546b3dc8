internal import CaptureModel
internal import PosixSupport

/// One file of a log. Its name is the number of its first record: `000000000018.audit`.
struct AuditSegment: Hashable {
    let first: UInt64
    var byteCount: Int64 = 0

    static let suffix = ".audit"

    init(first: UInt64) {
        self.first = first
    }

    /// - Returns: nil for a name that this program did not make.
    init?(name: String) {
        guard name.hasSuffix(Self.suffix), let first = UInt64(name.dropLast(Self.suffix.count)),
            (1...AuditRecord.sequenceLimit).contains(first)
        else { return nil }
        self.first = first
        guard self.name == name else { return nil }
    }

    /// Has leading zeros, so that names sort in the order of records.
    var name: String {
        let digits = String(first)
        return String(repeating: "0", count: max(0, 12 - digits.count)) + digits + Self.suffix
    }
}

extension Folder {
    /// Returns the files of the log in this folder, oldest first, without their lengths.
    func auditSegments() throws(PosixError) -> [AuditSegment] {
        try names().compactMap(AuditSegment.init(name:)).sorted { $0.first < $1.first }
    }
}

/// The first line of a file: the number of its first record, and the chain hash of the record before it. So the file can be verified even
/// if the files before it were removed.
struct AuditSegmentHeader: Hashable {
    let first: UInt64
    /// ``ContentDigest/beforeChain`` if a chain begins with the file.
    let previous: ContentDigest

    /// The line without its line end.
    var line: [UInt8] {
        Array("{\"audit\":1,\"first\":\(first),\"previous\":\"\(previous)\"}".utf8)
    }

    /// The record before the file.
    var head: AuditHead { AuditHead(sequence: first - 1, hash: previous) }
}

/// The lines of a file.
struct AuditLines {
    /// Complete lines, without their line ends.
    let complete: [ArraySlice<UInt8>]
    /// What follows the last line end.
    let tail: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) {
        var complete = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        tail = complete.popLast() ?? []
        self.complete = complete
    }

    /// Whether the tail may be what a crash left of a record. A whole record with one wrong byte in place of its line end is damage: a
    /// crash leaves a shorter record.
    var isTailTorn: Bool {
        tail.isEmpty || AuditParser.record(tail.dropLast()) == nil
    }
}
