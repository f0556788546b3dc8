import FoundationEssentials
import RigCore
import RigProtocol
import RigWire

extension AuditRange {
    init(wire: WireReadAudit) throws(WireError) {
        let reader = FieldReader("ReadAudit")
        let file = try reader.number(wire.file, "file", in: WireLimits.auditRecord)
        self.init(
            file: file == 0 ? nil : UInt64(file),
            offset: try reader.number(wire.offset, "offset", in: 0...WireLimits.fileByteCount),
            count: WireLimits.auditPart)
    }
}

extension AuditPart {
    var wire: WireAuditPart {
        var wire = WireAuditPart()
        wire.files = files
        wire.file = range.file ?? 0
        wire.offset = range.offset
        wire.data = Data(bytes)
        wire.byteCount = byteCount
        return wire
    }
}
