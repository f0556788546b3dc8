public import AuditLog

/// Records of an audit log, the newest last: `capctl audit list`.
public struct AuditListDocument: Encodable, Sendable {
    /// Whether there are older records that match.
    var more: Bool
    var records: [Record]
    /// Lines that are not records.
    var unreadable: Int

    /// A record.
    struct Record: Encodable {
        var chain: String
        var details: [String: String]
        var fingerprint: String
        var kind: String
        var principal: String
        var sequence: Integer64
        var subject: String
        var time: String
    }

    public init(_ page: AuditPage) {
        more = page.next != nil
        records = page.records.reversed().map(Record.init)
        unreadable = page.unreadable
    }
}

extension AuditListDocument.Record {
    init(_ record: AuditRecord) {
        chain = "\(record.chain)"
        details = record.entry.details
        fingerprint = record.entry.principal.fingerprint
        kind = record.entry.kind.rawValue
        principal = record.entry.principal.name
        sequence = Integer64(record.sequence)
        subject = record.entry.subject
        time = record.time
    }
}
