import CVideo4Linux

/// A driver's frame buffer, mapped into this process for reading until the last reference goes.
///
/// The mapping outlives the device it came from: a frame can be read on after the device was closed or unplugged.
@safe public final class MappedBuffer: Sendable {
    /// The buffer's number in its device's queue.
    public let index: UInt32
    // The guard of the pointer: it is set once, before the object is shared, and unmapped only in deinit.
    private nonisolated(unsafe) let memory: UnsafeMutableRawPointer
    /// Size of the mapping in bytes.
    public let byteCount: Int

    init(of device: VideoDevice, index: UInt32) throws(VideoError) {
        var address: UnsafeMutableRawPointer?
        var length = 0
        try device.check(unsafe cv4l_map_buffer(device.descriptor, index, &address, &length), "VIDIOC_QUERYBUF")
        guard let memory = unsafe address else {
            throw VideoError(errorNumber: 0, operation: "mmap", devicePath: device.path)
        }
        self.index = index
        unsafe self.memory = memory
        byteCount = length
    }

    deinit {
        unsafe cv4l_unmap_buffer(memory, byteCount)
    }

    /// The first `count` bytes (never more than there are): valid while this object lives, unchanged while the buffer
    /// is not queued.
    @unsafe public func bytes(_ count: Int) -> UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(start: memory, count: min(max(count, 0), byteCount))
    }

    /// A copy of the first `count` bytes, or of all where there are fewer.
    public func copy(_ count: Int) -> [UInt8] {
        unsafe [UInt8](bytes(count))
    }

    /// A copy of `rows` rows of `rowBytes` bytes that start every `stride` bytes; nil where the buffer is too small.
    public func copy(rows: Int, rowBytes: Int, stride: Int) -> [UInt8]? {
        guard rows > 0, rowBytes > 0, stride >= rowBytes else { return nil }
        let (start, overflow) = stride.multipliedReportingOverflow(by: rows - 1)
        guard !overflow, start <= byteCount, rowBytes <= byteCount - start else { return nil }
        var packed: [UInt8] = []
        packed.reserveCapacity(rows * rowBytes)
        for row in 0..<rows {
            unsafe packed.append(contentsOf: UnsafeRawBufferPointer(start: memory + row * stride, count: rowBytes))
        }
        return packed
    }
}
