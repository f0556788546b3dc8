internal import CaptureModel
internal import RigProtocol
internal import RigWire

/// Requests of administrators about the audit log, byte for byte, so that the caller verifies it itself.
extension RigClient {
    /// How long the coordinator's disk may take for a part.
    private var auditLimit: Duration { patience * 4 }

    /// The number of the first record of each file of the audit log, in order.
    public func auditFiles() async throws(RigClientError) -> [UInt64] {
        try await wirePart(of: 0, at: 0).files
    }

    /// Returns the length of a file of the audit log, which grows if it is the newest.
    /// - Returns: nil if the log no longer has the file.
    public func auditByteCount(of file: UInt64) async throws(RigClientError) -> Int64? {
        try await auditPart(of: file, at: WireAuditPart.fileLimit)?.byteCount
    }

    /// Returns at most 1 MiB of a file of the audit log from `offset`.
    /// - Returns: nil if the log no longer has the file.
    public func auditBytes(of file: UInt64, at offset: Int64) async throws(RigClientError) -> [UInt8]? {
        try await auditPart(of: file, at: offset).map { Array($0.data) }
    }

    /// Returns a file of the audit log.
    /// - Parameter file: The number of its first record.
    /// - Returns: nil if the log no longer has the file.
    public func auditFile(_ file: UInt64) async throws(RigClientError) -> [UInt8]? {
        var bytes: [UInt8] = []
        while true {
            guard let part = try await auditPart(of: file, at: Int64(bytes.count)) else { return nil }
            bytes += part.data
            if part.data.isEmpty || Int64(bytes.count) >= part.byteCount { return bytes }
        }
    }

    /// - Returns: nil if the log no longer has the file.
    private func auditPart(of file: UInt64, at offset: Int64) async throws(RigClientError) -> WireAuditPart? {
        do throws(RigClientError) {
            return try await wirePart(of: file, at: offset)
        } catch {
            guard error.code == .refused(RigProblem.Code.fileLost.rawValue) else { throw error }
            return nil
        }
    }

    private func wirePart(of file: UInt64, at offset: Int64) async throws(RigClientError) -> WireAuditPart {
        var request = WireReadAudit()
        (request.file, request.offset) = (file, offset)
        let answer = try await ask(.readAudit(request), operation: "audit", limit: auditLimit)
        return try reading(answer, operation: "audit") { body throws(WireError) in
            guard case .auditPart(let part) = body else { return nil }
            try part.check(for: file, at: offset)
            return part
        }
    }
}

extension WireAuditPart {
    /// The longest file that is read.
    fileprivate static let fileLimit: Int64 = 64 << 20

    /// Checks that this answers a request for this part.
    func check(for file: UInt64, at offset: Int64) throws(WireError) {
        let reader = FieldReader("AuditPart")
        for file in try reader.list(files, "files", limit: WireLimits.auditFiles) {
            _ = try reader.number(file, "files", in: 1...WireLimits.auditRecord.upperBound)
        }
        guard self.file == file, self.offset == offset, data.count <= WireLimits.auditPart else {
            throw reader.invalid("data", "is another part than the one that was requested")
        }
        _ = try reader.number(byteCount, "byte_count", in: 0...Self.fileLimit)
    }
}
