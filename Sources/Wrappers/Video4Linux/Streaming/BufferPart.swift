/// Rows of samples in a buffer: the same number of bytes at equal distances.
public struct BufferPart: Hashable, Sendable {
    /// Which memory plane.
    public var memoryPlane: Int
    /// Where the first row begins in it.
    public var offset: Int
    public var rows: Int
    /// Bytes of a row that count.
    public var rowBytes: Int
    /// Bytes from the start of one row to the start of the next.
    public var stride: Int

    public init(memoryPlane: Int, offset: Int, rows: Int, rowBytes: Int, stride: Int) {
        self.memoryPlane = memoryPlane
        self.offset = offset
        self.rows = rows
        self.rowBytes = rowBytes
        self.stride = stride
    }

    /// Bytes of all its rows without what lies between them.
    public var packedByteCount: Int { rows * rowBytes }

    /// Whether the rows follow each other without a gap.
    public var isPacked: Bool { stride == rowBytes || rows == 1 }

    /// Where its last row ends; nil for numbers that make no sense.
    public var end: Int? {
        guard memoryPlane >= 0, offset >= 0, rows > 0, rowBytes > 0, stride >= rowBytes else { return nil }
        let (distance, overflow) = stride.multipliedReportingOverflow(by: rows - 1)
        let (start, overflowed) = distance.addingReportingOverflow(offset)
        let (end, overflowedLast) = start.addingReportingOverflow(rowBytes)
        return overflow || overflowed || overflowedLast ? nil : end
    }
}
