import CVideo4Linux

/// A driver's frame buffer. Its memory planes are mapped into this process for reading until the last reference is released.
///
/// The mappings outlive their device: a frame can still be read after the device was closed or unplugged.
@safe public final class MappedBuffer: Sendable {
    /// The buffer's number in its device's queue.
    public let index: UInt32
    // Guard of the pointers: they are set once, before the object is shared, and unmapped only in deinit.
    private nonisolated(unsafe) let planes: [UnsafeRawBufferPointer]

    init(of device: VideoDevice, index: UInt32) throws(VideoError) {
        var map = cv4l_buffer_map()
        try device.check(unsafe cv4l_query_buffer(device.descriptor, device.queue, index, &map), "VIDIOC_QUERYBUF")
        let offsets = fixedArray(map.offsets, of: UInt32.self, count: map.plane_count)
        let lengths = fixedArray(map.lengths, of: UInt32.self, count: map.plane_count)
        var mapped: [UnsafeRawBufferPointer] = unsafe []
        do throws(VideoError) {
            for (offset, length) in zip(offsets, lengths) {
                unsafe mapped.append(try Self.map(device, offset, Int(length)))
            }
        } catch {
            unsafe Self.unmap(mapped)
            throw error
        }
        self.index = index
        unsafe planes = mapped
    }

    deinit {
        unsafe Self.unmap(planes)
    }

    /// The sizes of the memory planes in bytes.
    public var byteCounts: [Int] { unsafe planes.map(\.count) }

    /// Returns bytes of a memory plane, limited to its size. They are valid during the lifetime of this object, and unchanged while the
    /// buffer is not queued.
    @unsafe public func bytes(plane: Int = 0, offset: Int = 0, count: Int) -> UnsafeRawBufferPointer {
        guard unsafe planes.indices.contains(plane) else { return unsafe UnsafeRawBufferPointer(start: nil, count: 0) }
        let memory = unsafe planes[plane]
        let start = min(max(offset, 0), memory.count)
        let length = min(max(count, 0), memory.count - start)
        return unsafe UnsafeRawBufferPointer(rebasing: memory[start..<start + length])
    }

    /// Returns a copy of `parts`, one after another and without the gaps between their rows; nil if a part exceeds its memory plane.
    public func packed(_ parts: [BufferPart]) -> [UInt8]? {
        for part in parts {
            guard let end = part.end, unsafe planes.indices.contains(part.memoryPlane),
                unsafe end <= planes[part.memoryPlane].count
            else { return nil }
        }
        let total = parts.reduce(0) { $0 + $1.packedByteCount }
        return unsafe [UInt8](unsafeUninitializedCapacity: total) { bytes, count in
            let target = UnsafeMutableRawBufferPointer(bytes)
            for part in parts {
                unsafe copy(part, to: UnsafeMutableRawBufferPointer(rebasing: target[count...]))
                count += part.packedByteCount
            }
        }
    }

    /// Copies row by row, or at once if there are no gaps between the rows. The part must be within its memory plane.
    private func copy(_ part: BufferPart, to target: UnsafeMutableRawBufferPointer) {
        let source = unsafe planes[part.memoryPlane]
        let (rows, rowBytes) = part.isPacked ? (1, part.packedByteCount) : (part.rows, part.rowBytes)
        for row in 0..<rows {
            let start = part.offset + row * part.stride
            let bytes = unsafe UnsafeRawBufferPointer(rebasing: source[start..<start + rowBytes])
            unsafe UnsafeMutableRawBufferPointer(rebasing: target[(row * rowBytes)...]).copyMemory(from: bytes)
        }
    }

    private static func map(
        _ device: VideoDevice, _ offset: UInt32, _ length: Int
    ) throws(VideoError) -> UnsafeRawBufferPointer {
        var address: UnsafeMutableRawPointer?
        try device.check(unsafe cv4l_map_plane(device.descriptor, offset, length, &address), "mmap")
        return unsafe UnsafeRawBufferPointer(start: address, count: length)
    }

    private static func unmap(_ planes: [UnsafeRawBufferPointer]) {
        for index in unsafe planes.indices {
            let plane = unsafe planes[index]
            unsafe cv4l_unmap_plane(UnsafeMutableRawPointer(mutating: plane.baseAddress), plane.count)
        }
    }
}

/// Rows of samples in a buffer: the same number of bytes at equal distances.
public struct BufferPart: Hashable, Sendable {
    /// The number of the memory plane.
    public var memoryPlane: Int
    /// The offset of the first row in the memory plane.
    public var offset: Int
    public var rows: Int
    /// The used bytes of a row.
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

    /// The bytes of all its rows without the gaps between them.
    public var packedByteCount: Int { rows * rowBytes }

    /// Whether the rows follow each other without a gap.
    public var isPacked: Bool { stride == rowBytes || rows == 1 }

    /// The end of its last row; nil if the numbers are inconsistent.
    public var end: Int? {
        guard memoryPlane >= 0, offset >= 0, rows > 0, rowBytes > 0, stride >= rowBytes else { return nil }
        let (distance, overflow) = stride.multipliedReportingOverflow(by: rows - 1)
        let (start, overflowed) = distance.addingReportingOverflow(offset)
        let (end, overflowedLast) = start.addingReportingOverflow(rowBytes)
        return overflow || overflowed || overflowedLast ? nil : end
    }
}

/// Which of the awaited events have occurred.
public struct Readiness: Hashable, Sendable {
    /// A buffer is filled.
    public var hasFrame: Bool
    /// The queue has failed (`POLLERR`). Dequeuing returns the reason.
    public var hasError: Bool
    /// The device was removed (`POLLHUP`).
    public var isGone: Bool
    /// The other descriptor is readable.
    public var isWoken: Bool

    init(_ readiness: cv4l_readiness) {
        hasFrame = readiness.frame
        hasError = readiness.error
        isGone = readiness.hangup
        isWoken = readiness.wake
    }
}
