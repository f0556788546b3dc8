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

/// Why a JPEG could not be encoded or decoded.
public struct TurboJPEGError: Error, Equatable, Sendable {
    /// The kind of failure, for programs.
    public enum Code: String, Sendable {
        /// The library could not allocate a codec or a buffer.
        case outOfResources
        /// Width, height, stride or quality are outside what JPEG or the caller's limit allows.
        case invalidGeometry
        /// A plane or packed image holds fewer bytes than its geometry needs.
        case bufferTooSmall
        /// The image would decode to more pixels than the caller's limit.
        case tooManyPixels
        /// The image has more scans than the limit.
        case tooManyScans
        /// The bytes are not a JPEG that can be decoded.
        case undecodable
        /// The image decodes, but its data is damaged.
        case damaged
        /// The library refused to encode.
        case encodingFailed
    }

    /// The kind of failure.
    public let code: Code
    /// The call that failed, such as `encode`.
    public let operation: String
    /// The image's size, such as `1920x1080`, or empty if it is unknown.
    public let subject: String
    /// The message of the library or the check.
    public let cause: String

    init(_ code: Code, operation: String, subject: String = "", cause: String) {
        self.code = code
        self.operation = operation
        self.subject = subject
        self.cause = cause
    }
}

extension TurboJPEGError: CustomStringConvertible {
    public var description: String {
        "JPEG \(operation)\(subject.isEmpty ? "" : " of \(subject)") failed: \(cause)"
    }
}
