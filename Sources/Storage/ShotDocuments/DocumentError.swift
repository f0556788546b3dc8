public import CaptureModel

/// Why a document could not be encoded or decoded. The cause of one that was read does not name the file, which only the reader knows.
public typealias DocumentError = OperationError<DocumentErrorCode>

public enum DocumentErrorCode: String, Hashable, Sendable, CaseIterable {
    /// A value cannot be represented in JSON, such as a number that is not finite.
    case unencodable
    /// The bytes do not match the document's format.
    case damaged
    /// A newer version of this program wrote it.
    case newerVersion
}
