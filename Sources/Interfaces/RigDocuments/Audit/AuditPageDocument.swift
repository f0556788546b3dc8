public import AuditLog

/// Records of an audit log, the newest first, and whether they follow from each other: `GET /audit` of the HTTP API.
public struct AuditPageDocument: Encodable, Sendable {
    var chain: Chain
    /// The cursor of the next page; absent if there are no older records.
    var next: String?
    var records: [AuditListDocument.Record]

    /// What was read for the page, also records that the filter left out.
    struct Chain: Encodable {
        /// The number of the oldest record; absent if none was read.
        var first: Integer64?
        var isIntact: Bool
        /// The number of the newest record.
        var last: Integer64?
        /// A sentence for each place at which records do not follow from each other, the newest first.
        var problems: [String]
    }

    public init(_ excerpt: AuditExcerpt, next: String?) {
        chain = Chain(
            first: excerpt.read.map { Integer64($0.lowerBound) }, isIntact: excerpt.isIntact,
            last: excerpt.read.map { Integer64($0.upperBound) }, problems: excerpt.problems.map(\.description))
        self.next = next
        records = excerpt.records.map(AuditListDocument.Record.init)
    }
}
