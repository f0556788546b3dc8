import CTurboJPEG

/// One libjpeg-turbo decompressor, freed with its owner.
@safe
struct Decompressor: ~Copyable {
    let handle: tjhandle

    init() throws(TurboJPEGError) {
        guard let handle = unsafe tjInitDecompress() else {
            throw TurboJPEGError(.outOfResources, operation: "decoder start", cause: unsafe libraryMessage(nil))
        }
        unsafe self.handle = handle
    }

    deinit { unsafe tjDestroy(handle) }

    /// Whether the last failure was a warning. The library returns -1 for both, so this distinguishes a damaged image from an undecodable
    /// one.
    var lastFailureIsWarning: Bool { unsafe tjGetErrorCode(handle) == Int32(TJERR_WARNING.rawValue) }

    /// The library's message for the last failure.
    var message: String { unsafe libraryMessage(handle) }
}

/// Memory for one compressed image, large enough for the worst case, freed with its owner.
@safe
final class CodecBuffer {
    private(set) var start: UnsafeMutablePointer<UInt8>?
    private(set) var capacity: UInt = 0

    deinit { unsafe tjFree(start) }

    /// Grows to at least `size` bytes; the contents are lost.
    func reserve(_ size: UInt, for subject: String) throws(TurboJPEGError) {
        guard size > capacity else { return }
        unsafe tjFree(start)
        unsafe start = nil
        capacity = 0
        // tjBufSize returns all ones for a size that it refuses, and the parameter of tjAlloc is an Int32.
        guard let bytes = Int32(exactly: size), let memory = unsafe tjAlloc(bytes) else {
            throw TurboJPEGError(
                .outOfResources, operation: "encode", subject: subject, cause: "no buffer of \(size) bytes")
        }
        unsafe start = memory
        capacity = size
    }
}

/// Returns the library's message for the last failure of `handle`.
@unsafe
func libraryMessage(_ handle: tjhandle?) -> String {
    guard let message = unsafe tjGetErrorStr2(handle) else { return "unknown error" }
    return unsafe String(cString: message)
}
