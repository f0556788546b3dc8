import CTurboJPEG

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
