internal import CPosix
internal import Glibc

/// A regular file that was opened in a ``Folder``, closed when the last reference is released.
///
/// Every call blocks on the disk, so use a ``ThreadExecutor`` or a separate thread. Calls may be made on several threads. Concurrent
/// appends interleave, so only one owner at a time may append.
public final class OpenFile: Sendable {
    /// The path with which it was opened, for messages. Not updated by a rename.
    public let path: String
    private let descriptor: FileDescriptorHandle
    private let fault: FileFault?

    init(descriptor: consuming FileDescriptorHandle, path: String, fault: FileFault?) {
        self.descriptor = descriptor
        self.path = path
        self.fault = fault
    }

    /// Opens an existing file that the user named, for reading. Symbolic links in `path` are followed, since they are the user's. The file
    /// may not be a regular file; see ``version()``.
    public convenience init(opening path: String, fault: FileFault? = nil) throws(PosixError) {
        if let code = fault?(.open, path) { throw PosixError(code: code, operation: "open", subject: path) }
        // A pipe without a writer would block without O_NONBLOCK.
        let result = unsafe caprig_openat(AT_FDCWD, path, O_RDONLY | O_NONBLOCK, 0)
        guard result >= 0 else { throw PosixError(code: -result, operation: "open", subject: path) }
        self.init(descriptor: FileDescriptorHandle(owning: result), path: path, fault: fault)
    }

    /// The descriptor, for starting a program that works on the file. Valid during the lifetime of this object.
    public var rawDescriptor: CInt { descriptor.rawValue }

    /// Writes all of `bytes` at the file's position. After an error some of them may have been written.
    public func write(_ bytes: [UInt8]) throws(PosixError) { try write(bytes.span) }

    /// Writes all of `bytes` at the file's position. After an error some of them may have been written.
    public func write(_ bytes: Span<UInt8>) throws(PosixError) {
        try check(.write, "write")
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe caprig_write(
                    descriptor.rawValue, buffer.baseAddress?.advanced(by: written), buffer.count - written)
            }
            guard count > 0 else { throw failure(count == 0 ? EIO : CInt(-count), "write") }
            written += count
        }
    }

    /// Writes all of `bytes` at `offset`. After an error some of them may have been written. Not for files that were opened for appending.
    public func write(_ bytes: Span<UInt8>, at offset: Int64) throws(PosixError) {
        try check(.write, "write")
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe caprig_pwrite(
                    descriptor.rawValue, buffer.baseAddress?.advanced(by: written), buffer.count - written,
                    off_t(offset) + written)
            }
            guard count > 0 else { throw failure(count == 0 ? EIO : CInt(-count), "write") }
            written += count
        }
    }

    /// Returns up to `count` bytes from `offset`; fewer at the end of the file.
    public func read(at offset: Int64, count: Int) throws(PosixError) -> [UInt8] {
        try check(.read, "read")
        guard offset >= 0, count >= 0 else { throw failure(EINVAL, "read") }
        // Limited to the file's length, so that an absurd count does not cause an absurd allocation.
        let available = try byteCount() - min(offset, .max - 1)
        return try readUpTo(Int(max(0, min(Int64(count), available))), at: offset)
    }

    /// Returns bytes up to the end of the file or `limit`, for files of `/proc`, which do not report their length.
    public func readStream(limit: Int) throws(PosixError) -> [UInt8] {
        try check(.read, "read")
        return try readUpTo(limit, at: 0)
    }

    /// Returns the version of the file's content.
    public func version() throws(PosixError) -> FileVersion {
        var status = stat()
        let result = unsafe caprig_fstat(descriptor.rawValue, &status)
        guard result == 0 else { throw failure(-result, "examine") }
        return FileVersion(status)
    }

    /// The file's length in bytes.
    public func byteCount() throws(PosixError) -> Int64 {
        var status = stat()
        let result = unsafe caprig_fstat(descriptor.rawValue, &status)
        guard result == 0 else { throw failure(-result, "examine") }
        return Int64(status.st_size)
    }

    /// Truncates the file, or extends it with zeros, to `byteCount`.
    public func setByteCount(_ byteCount: Int64) throws(PosixError) {
        try check(.write, "set the length of")
        let result = caprig_ftruncate(descriptor.rawValue, off_t(byteCount))
        guard result == 0 else { throw failure(-result, "set the length of") }
    }

    /// Takes an advisory lock for changing the file, which is held until the file is closed.
    /// - Returns: false if another process has it.
    public func tryLock() throws(PosixError) -> Bool {
        let result = caprig_try_lock(descriptor.rawValue)
        guard result == 0 || result == -EWOULDBLOCK else { throw failure(-result, "lock") }
        return result == 0
    }

    /// Returns once bytes and length are on the disk. After an error the file's content is unknown, since the kernel may have dropped what
    /// it could not write.
    public func sync() throws(PosixError) {
        try check(.syncFile, "make durable")
        let result = caprig_fsync(descriptor.rawValue)
        guard result == 0 else { throw failure(-result, "make durable") }
    }

    /// Returns once bytes and length are on the disk, but not necessarily the file's times. For files that grow it costs less than
    /// ``sync()``. After an error the file's content is unknown.
    public func syncData() throws(PosixError) {
        try check(.syncFile, "make durable")
        let result = caprig_fdatasync(descriptor.rawValue)
        guard result == 0 else { throw failure(-result, "make durable") }
    }

    /// Asks the kernel to begin writing the file's data, so that a later ``sync()`` takes less time. This makes nothing durable; that sync
    /// reports a failure.
    public func startWriteBack() {
        _ = caprig_start_write_back(descriptor.rawValue)
    }

    private func readUpTo(_ limit: Int, at offset: Int64) throws(PosixError) -> [UInt8] {
        var failed: CInt = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, filled in
            while filled < limit {
                let position = unsafe buffer.baseAddress?.advanced(by: filled)
                let got = unsafe caprig_pread(descriptor.rawValue, position, limit - filled, off_t(offset) + filled)
                guard got > 0 else {
                    failed = CInt(-got)
                    return
                }
                filled += got
            }
        }
        guard failed == 0 else { throw failure(failed, "read") }
        return bytes
    }

    private func check(_ step: FileStep, _ operation: String) throws(PosixError) {
        if let code = fault?(step, path) { throw failure(code, operation) }
    }

    private func failure(_ code: CInt, _ operation: String) -> PosixError {
        PosixError(code: code, operation: operation, subject: path)
    }
}
