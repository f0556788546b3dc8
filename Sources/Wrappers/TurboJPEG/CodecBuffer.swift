import CTurboJPEG

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
        // tjBufSize answers all ones for a size it refuses, and tjAlloc counts in Int32.
        guard let bytes = Int32(exactly: size), let memory = unsafe tjAlloc(bytes) else {
            throw TurboJPEGError(
                .outOfResources, operation: "encode", subject: subject, cause: "no buffer of \(size) bytes")
        }
        unsafe start = memory
        capacity = size
    }
}

/// The library's own words for the last failure of `handle`.
@unsafe
func libraryMessage(_ handle: tjhandle?) -> String {
    guard let message = unsafe tjGetErrorStr2(handle) else { return "unknown error" }
    return unsafe String(cString: message)
}
