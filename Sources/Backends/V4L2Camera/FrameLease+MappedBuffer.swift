import CameraKit
import Video4Linux

extension FrameLease {
    /// A lease on a part of a driver's buffer, which goes to `returns` when the lease ends.
    ///
    /// The guard of the borrowed memory: the closure keeps the mapping alive, and the buffer is queued, and so written,
    /// only after it came back through `returns`.
    convenience init(_ buffer: MappedBuffer, offset: Int, count: Int, returns: BufferReturns) {
        unsafe self.init(borrowing: buffer.bytes(offset: offset, count: count)) {
            returns.add(buffer.index)
        }
    }
}
