import Video4Linux

extension FrameLease {
    /// A lease on a driver's buffer, which goes to `returns` when the lease ends.
    ///
    /// The guard of the borrowed memory: the closure keeps the mapping alive, and the buffer is queued, and so written,
    /// only after it came back through `returns`.
    convenience init(_ buffer: MappedBuffer, count: Int, returns: BufferReturns) {
        unsafe self.init(borrowing: buffer.bytes(count)) {
            returns.add(buffer.index)
        }
    }
}
