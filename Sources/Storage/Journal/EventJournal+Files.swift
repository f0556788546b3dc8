internal import CaptureModel
internal import PosixSupport

/// The files of a journal. Files are only ever dropped from the oldest on, since an acknowledgement of an old event
/// lies in a file at least as recent as the event.
extension EventJournal {
    /// Begins another file once the current one has its share of the limit.
    func makeRoom() {
        guard let last = segments.last, last.byteCount >= max(limitBytes / 8, 4096) else { return }
        segments.append(EventSegment(number: last.number + 1))
        current = nil
        removeFinished()
    }

    /// Counts an event that had to wait, and lets go of the oldest one beyond the limit.
    func keepUnwritten() {
        guard !unwritten.isEmpty else { return }
        counters.unpersisted += 1
        guard unwritten.count > Self.unwrittenLimit else { return }
        let sequence = unwritten.removeFirst().position.sequence
        lost = (lost?.lowerBound ?? sequence)...sequence
    }

    /// Appends to the current file. The length of a record is counted before, since it also bounds the memory.
    func write(_ record: EventRecord) -> Bool {
        do {
            try append(record.bytes, to: openCurrent(segments[segments.count - 1].name))
            lastProblem = nil
            return true
        } catch {
            lastProblem = error
            return false
        }
    }

    private func openCurrent(_ name: String) throws(PosixError) -> OpenFile {
        if let current { return current }
        let file = try folder.open(name, for: .appending)
        current = file
        return file
    }

    /// Notes in a file of an earlier life that this one has begun.
    func noteBeginning(behind index: Int) {
        let record = EventRecord(kind: .beginning, position: EventPosition(epoch: epoch, sequence: 0))
        do {
            try append(record.bytes, to: folder.open(segments[index].name, for: .appending))
            segments[index].successors.append(epoch)
            segments[index].byteCount += Int64(record.bytes.count)
        } catch {
            lastProblem = error
        }
    }

    /// Takes back a part that was written before an error, so that what follows is not read as damage.
    private func append(_ bytes: [UInt8], to file: OpenFile) throws(PosixError) {
        let before = try file.byteCount()
        do {
            try file.write(bytes)
        } catch {
            try? file.setByteCount(before)
            throw error
        }
    }

    /// Removes the oldest files in which nothing waits any more.
    func removeFinished() {
        while segments.count > 1, segments[0].waiting.isEmpty, !isHeld(segments[0]) { removeOldest() }
    }

    /// Whether the end of something that began in this file is still to come.
    private func isHeld(_ segment: EventSegment) -> Bool {
        lives.values.contains { $0.segment == segment.number }
    }

    /// Drops whole files from the oldest on until the limits are kept.
    func dropExcess() {
        while segments.count > 1,
            segments.count > Self.fileLimit || segments.reduce(0, { $0 + $1.byteCount }) > limitBytes
        {
            let number = segments[0].number
            counters.dropped += UInt64(segments[0].waiting.count)
            lives = lives.filter { $0.value.segment != number }
            removeOldest()
        }
    }

    private func removeOldest() {
        do {
            try folder.remove(segments[0].name)
        } catch {
            lastProblem = error
        }
        segments.removeFirst()
    }
}
