import Glibc

/// A walk from marker to marker through a JPEG's entropy-coded data.
struct JPEGScanWalk {
    /// Where the walk ended.
    enum End: Hashable {
        /// At the end-of-image marker at this offset.
        case endMarker(at: Int)
        /// At a start-of-image marker, which entropy-coded data cannot contain: another image begins.
        case nextImage(at: Int)
        case endOfBytes
    }

    private(set) var end = End.endOfBytes
    /// The first marker that cannot be where it is, or the restart markers that are missing.
    private(set) var damage: JPEGProblem?
    /// Restart markers since the last scan header.
    private(set) var restartCount = 0
    /// Offset of the first byte after the last restart marker or scan header.
    private var intervalOffset: Int
    private let restartInterval: Int
    private let isSingleScan: Bool

    /// Walks from `start` to the first end-of-image marker.
    init(_ header: JPEGHeaderParser, _ frame: JPEGFrame, from start: Int, in bytes: Span<UInt8>) {
        intervalOffset = start
        restartInterval = header.restartInterval
        isSingleScan = !frame.isProgressive && header.segments.last?.payload.count == 4 + 2 * frame.components.count
        walk(bytes)
        if case .endMarker(let offset) = end { checkRestartCount(frame, endingAt: offset) }
    }

    private mutating func walk(_ bytes: Span<UInt8>) {
        var position = intervalOffset
        while let offset = bytes.firstIndex(of: 0xFF, from: position), offset + 1 < bytes.count {
            switch bytes[offset + 1] {
            case 0: position = offset + 2
            case 0xFF: position = offset + 1
            case JPEGMarker.endOfImage:
                end = .endMarker(at: offset)
                return
            case JPEGMarker.startOfImage:
                end = .nextImage(at: offset)
                return
            case let marker where JPEGMarker.restarts.contains(marker):
                if restartInterval == 0 || Int(marker & 7) != restartCount % 8 {
                    note(.restartMarkersMissing(at: offset))
                }
                restartCount += 1
                position = offset + 2
                intervalOffset = position
            case let marker:
                guard let next = endOfSegment(marker, at: offset, in: bytes) else { return }
                position = next
            }
        }
    }

    private mutating func note(_ problem: JPEGProblem) {
        damage = damage ?? problem
    }

    /// Returns the offset after the marker, and after its segment if it may be between two scans.
    /// - Returns: nil if the bytes end within the segment.
    private mutating func endOfSegment(_ marker: UInt8, at offset: Int, in bytes: Span<UInt8>) -> Int? {
        guard !isSingleScan, JPEGMarker.mayFollowScan(marker) else {
            note(.unexpectedMarker(marker, at: offset))
            return offset + 2
        }
        do throws(JPEGProblem) {
            let segment = try JPEGHeaderParser.segment(at: offset, in: bytes)
            if marker == JPEGMarker.startOfScan { (restartCount, intervalOffset) = (0, segment.range.upperBound) }
            return segment.range.upperBound
        } catch {
            if case .truncated = error { return nil }
            note(error)
            return offset + 2
        }
    }

    /// Checks the number of restart markers, only in images of one interleaved scan, which every camera sends. One more, directly
    /// before the end, separates nothing.
    private mutating func checkRestartCount(_ frame: JPEGFrame, endingAt offset: Int) {
        guard isSingleScan, restartInterval > 0 else { return }
        let missing = expectedRestarts(frame) - restartCount
        guard missing != 0, !(missing == -1 && intervalOffset == offset) else { return }
        note(.restartMarkersMissing(at: offset))
    }

    private func expectedRestarts(_ frame: JPEGFrame) -> Int {
        (frame.unitCount + restartInterval - 1) / restartInterval - 1
    }

    /// Returns the end of a picture without an end marker, which has all of its data: the units since the last restart marker are counted.
    ///
    /// - Throws: ``JPEGProblem`` if data is missing, and for images of several scans, whose data cannot be counted without decoding it.
    func endOfUnits(_ header: JPEGHeaderParser, _ frame: JPEGFrame, in bytes: Span<UInt8>) throws(JPEGProblem) -> Int {
        var limit = bytes.count
        var missing = JPEGProblem.noEndOfImage
        if case .nextImage(let offset) = end {
            (limit, missing) = (offset, .unexpectedMarker(JPEGMarker.startOfImage, at: offset))
        }
        // Zeros after the data are padding, and would count as units. A single one is data, as is the first after 0xFF.
        let padded = limit
        while limit > intervalOffset, bytes[limit - 1] == 0 { limit -= 1 }
        let isData = padded - limit == 1 || (limit > intervalOffset && bytes[limit - 1] == 0xFF)
        if limit < padded, isData { limit += 1 }
        guard isSingleScan, damage == nil else { throw damage ?? missing }
        guard restartInterval == 0 || restartCount == expectedRestarts(frame) else { throw missing }
        let units = frame.unitCount - restartCount * restartInterval
        guard var counter = JPEGUnitCounter(header, frame, in: bytes, from: intervalOffset, to: limit),
            counter.skip(units: units, in: bytes)
        else { throw missing }
        return counter.position
    }
}

extension Span<UInt8> {
    /// Returns the first index from `start` on with this byte. A loop would cost many times as much, above all in unoptimized builds.
    func firstIndex(of byte: UInt8, from start: Int) -> Int? {
        guard start < count else { return nil }
        // The pointer is used only within the closure, while the span is borrowed.
        return unsafe extracting(start..<count).withUnsafeBufferPointer { buffer -> Int? in
            guard let base = unsafe UnsafeRawPointer(buffer.baseAddress),
                let found = unsafe memchr(base, Int32(byte), buffer.count)
            else { return nil }
            return unsafe start + (UnsafeRawPointer(found) - base)
        }
    }
}
