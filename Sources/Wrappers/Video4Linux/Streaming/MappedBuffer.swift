import CVideo4Linux

/// A driver's frame buffer, its memory planes mapped into this process for reading until the last reference goes.
///
/// The mappings outlive the device they came from: a frame can be read on after the device was closed or unplugged.
@safe public final class MappedBuffer: Sendable {
    /// The buffer's number in its device's queue.
    public let index: UInt32
    // The guard of the pointers: they are set once, before the object is shared, and unmapped only in deinit.
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

    /// Sizes of the memory planes in bytes.
    public var byteCounts: [Int] { unsafe planes.map(\.count) }

    /// Bytes of a memory plane, never more than there are: valid while this object lives, unchanged while the buffer is
    /// not queued.
    @unsafe public func bytes(plane: Int = 0, offset: Int = 0, count: Int) -> UnsafeRawBufferPointer {
        guard unsafe planes.indices.contains(plane) else { return unsafe UnsafeRawBufferPointer(start: nil, count: 0) }
        let memory = unsafe planes[plane]
        let start = min(max(offset, 0), memory.count)
        let length = min(max(count, 0), memory.count - start)
        return unsafe UnsafeRawBufferPointer(rebasing: memory[start..<start + length])
    }

    /// A copy of `parts`, one after another and without what lies between their rows; nil where one of them reaches
    /// beyond its memory plane.
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

    /// Row by row, or at once where nothing lies between the rows. The part lies within its memory plane.
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
