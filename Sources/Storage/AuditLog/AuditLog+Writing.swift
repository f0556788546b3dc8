internal import FaultPoints
internal import PosixSupport

/// What a failed write left on the disk.
enum AuditLeftover {
    /// Bytes behind this length of a file.
    case bytes(AuditSegment)
    /// A file without a durable record.
    case file(AuditSegment)
}

extension AuditLog {
    private static let batchCount = 256
    private static let batchBytes = 64 << 10

    /// Writes what waits, oldest first, until a write fails. Then everybody who waits for a record gets the error, and the other entries
    /// wait.
    func writeWaiting() {
        while true {
            let batch = queue.take(count: Self.batchCount, byteCount: Self.batchBytes)
            guard !batch.isEmpty else { return queue.finish() }
            do throws(PosixError) {
                let heads = try write(batch)
                queue.finish()
                lastProblem = nil
                for (item, head) in zip(batch, heads) { item.reply?.withLock { $0 = .success(head) } }
            } catch {
                return refuse(batch, AuditError(error))
            }
        }
    }

    private func refuse(_ batch: [AuditQueue.Item], _ error: AuditError) {
        queue.finish(returning: batch.filter { $0.reply == nil })
        lastProblem = error
        for reply in batch.compactMap(\.reply) + queue.removeCommits() { reply.withLock { $0 = .failure(error) } }
        noteRefusal()
    }

    /// Appends records and makes them durable.
    private func write(_ batch: [AuditQueue.Item]) throws(PosixError) -> [AuditHead] {
        try checkOpen()
        try removeLeftover()
        var (heads, bytes, last) = ([AuditHead](), [UInt8](), head)
        for item in batch {
            let record = AuditRecord(item.entry, realtimeNanoseconds: item.realtimeNanoseconds, after: last)
            bytes += record.line
            bytes.append(UInt8(ascii: "\n"))
            last = record.head
            heads.append(last)
        }
        makeRoom(for: bytes.count)
        if let segment = segments.last, !beginsFile, segment.byteCount < limitBytes / 8 {
            try append(bytes, to: segment)
        } else {
            try begin(with: bytes)
        }
        head = last
        AuditFault.durable.reached()
        return heads
    }

    private func append(_ bytes: [UInt8], to segment: AuditSegment) throws(PosixError) {
        let file = try openCurrent(segment)
        leftover = .bytes(segment)
        try file.write(bytes)
        AuditFault.written.reached()
        do throws(PosixError) {
            try file.syncData()
        } catch {
            // What the kernel has of the file is unknown, so nothing further is written to it.
            beginsFile = true
            current = nil
            throw error
        }
        leftover = nil
        segments[segments.count - 1].byteCount += Int64(bytes.count)
    }

    private func openCurrent(_ segment: AuditSegment) throws(PosixError) -> OpenFile {
        if let current { return current }
        let file = try folder.open(segment.name, for: .appending)
        current = file
        return file
    }

    /// Begins a file.
    private func begin(with bytes: [UInt8]) throws(PosixError) {
        var segment = AuditSegment(first: head.sequence + 1)
        let file = try folder.open(segment.name, for: .creatingPrivate)
        leftover = .file(segment)
        let header = AuditSegmentHeader(first: segment.first, previous: head.hash).line + [UInt8(ascii: "\n")]
        try file.write(header + bytes)
        AuditFault.written.reached()
        try file.sync()
        try folder.sync()
        leftover = nil
        segment.byteCount = Int64(header.count + bytes.count)
        segments.append(segment)
        beginsFile = false
        // Opened again for appending: a position would stay behind a part that is cut off.
        current = nil
    }

    /// Removes what a failed write left. It was promised to nobody.
    private func removeLeftover() throws(PosixError) {
        switch leftover {
        case .bytes(let segment):
            let file = try folder.open(segment.name, for: .updating)
            try file.setByteCount(segment.byteCount)
            try file.sync()
        case .file(let segment):
            try folder.remove(segment.name)
            try folder.sync()
        case nil: return
        }
        leftover = nil
    }

    /// Removes the oldest files until `count` further bytes are within the limit. A file that cannot be removed is tried again with the
    /// next write.
    private func makeRoom(for count: Int) {
        while segments.count > 1, segments.reduce(Int64(count), { $0 + $1.byteCount }) > limitBytes {
            do throws(PosixError) {
                try folder.remove(segments[0].name)
            } catch {
                lastProblem = AuditError(error)
                return
            }
            segments.removeFirst()
        }
    }
}
