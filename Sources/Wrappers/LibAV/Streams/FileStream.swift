internal import CLibAV
internal import Glibc
internal import PosixSupport

/// Gives the library access to a file. Reads, writes and seeks are those of an ``OpenFile``, so that errors keep their
/// errno and path, and the file's owner decides when it becomes durable.
///
/// Owns the context and its buffer. `context` is valid during the lifetime of this object.
@safe final class FileStream {
    /// The state of the library's callbacks. Accessed only within calls of the library, one at a time.
    private final class Position {
        let file: StreamedFile
        var offset: Int64 = 0
        /// The first error. The library passes on only a number, and sometimes not even that.
        var failure: PosixError?

        init(_ file: StreamedFile) {
            self.file = file
        }
    }

    /// Pictures are larger, and bypass the buffer in pieces of this size.
    private static let bufferSize = 1 << 18

    let context: UnsafeMutablePointer<AVIOContext>
    private let position: Position

    /// The error of the file, if it failed.
    var failure: PosixError? { position.failure }

    convenience init(_ file: OpenFile, isWriting: Bool) throws(LibAVError) {
        try self.init(.file(file), isWriting: isWriting)
    }

    init(_ file: StreamedFile, isWriting: Bool) throws(LibAVError) {
        position = Position(file)
        let buffer = unsafe av_malloc(Self.bufferSize)
        guard
            let context = unsafe avio_alloc_context(
                buffer?.assumingMemoryBound(to: UInt8.self), CInt(Self.bufferSize), isWriting ? 1 : 0,
                Unmanaged.passUnretained(position).toOpaque(), isWriting ? nil : Self.read,
                isWriting ? Self.write : nil, Self.seek)
        else {
            unsafe av_free(buffer)
            throw LibAVError(code: -ENOMEM, "open", file.path)
        }
        unsafe self.context = context
    }

    deinit {
        var context: UnsafeMutablePointer<AVIOContext>? = unsafe context
        // The library may have replaced the buffer.
        unsafe av_free(context?.pointee.buffer)
        unsafe avio_context_free(&context)
    }

    /// Writes buffered data to the file.
    func flush() throws(LibAVError) {
        unsafe avio_flush(context)
        if let failure { throw LibAVError(failure) }
    }

    private static func position(_ opaque: UnsafeMutableRawPointer?) -> Position? {
        guard let opaque = unsafe opaque else { return nil }
        return unsafe Unmanaged<Position>.fromOpaque(opaque).takeUnretainedValue()
    }

    private static let write: @convention(c) (UnsafeMutableRawPointer?, UnsafeMutablePointer<UInt8>?, CInt) -> CInt = {
        opaque, bytes, count in
        guard let position = unsafe position(opaque) else { return -EINVAL }
        let buffer = unsafe UnsafeBufferPointer(start: bytes, count: Int(count))
        do throws(PosixError) {
            try unsafe position.file.write(buffer.span, at: position.offset)
        } catch {
            position.failure = position.failure ?? error
            return -error.code
        }
        position.offset += Int64(count)
        return count
    }

    private static let read: @convention(c) (UnsafeMutableRawPointer?, UnsafeMutablePointer<UInt8>?, CInt) -> CInt = {
        opaque, bytes, count in
        guard let position = unsafe position(opaque), let bytes = unsafe bytes else { return -EINVAL }
        let got: [UInt8]
        do throws(PosixError) {
            got = try position.file.read(at: position.offset, count: Int(count))
        } catch {
            position.failure = position.failure ?? error
            return -error.code
        }
        guard !got.isEmpty else { return caprig_av_end_of_file() }
        unsafe got.withUnsafeBufferPointer {
            unsafe bytes.update(from: $0.baseAddress ?? UnsafePointer(bytes), count: $0.count)
        }
        position.offset += Int64(got.count)
        return CInt(got.count)
    }

    private static let seek: @convention(c) (UnsafeMutableRawPointer?, Int64, CInt) -> Int64 = {
        opaque, offset, origin in
        guard let position = unsafe position(opaque), let size = position.file.byteCount else {
            return Int64(-EIO)
        }
        let start: Int64
        switch origin & ~AVSEEK_FORCE {
        case AVSEEK_SIZE: return size
        case SEEK_SET: start = 0
        case SEEK_CUR: start = position.offset
        case SEEK_END: start = size
        default: return Int64(-EINVAL)
        }
        let (target, overflow) = start.addingReportingOverflow(offset)
        guard !overflow, target >= 0 else { return Int64(-EINVAL) }
        position.offset = target
        return target
    }
}

/// The source or target of a stream.
enum StreamedFile {
    case file(OpenFile)
    /// Bytes of another owner, such as a store. Read-only.
    case source(name: String, byteCount: Int64, read: (Int64, Int) throws(PosixError) -> [UInt8])

    var path: String {
        switch self {
        case .file(let file): file.path
        case .source(let name, _, _): name
        }
    }

    /// nil if it is not known.
    var byteCount: Int64? {
        switch self {
        case .file(let file): try? file.byteCount()
        case .source(_, let byteCount, _): byteCount
        }
    }

    func read(at offset: Int64, count: Int) throws(PosixError) -> [UInt8] {
        switch self {
        case .file(let file): try file.read(at: offset, count: count)
        case .source(_, _, let read): try read(offset, count)
        }
    }

    func write(_ bytes: Span<UInt8>, at offset: Int64) throws(PosixError) {
        switch self {
        case .file(let file): try file.write(bytes, at: offset)
        case .source(let name, _, _): throw PosixError(code: EBADF, operation: "write", subject: name)
        }
    }
}
