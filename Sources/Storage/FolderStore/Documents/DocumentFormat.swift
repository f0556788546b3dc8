internal import FaultPoints
internal import PosixSupport
internal import StorageKit

/// The file of a folder that a document is, and its form there.
public struct DocumentFormat<Content: Sendable>: Sendable {
    /// The name of the file.
    public let fileName: String
    /// The document in error messages, such as `the roster`.
    let subject: String
    /// What follows from a file that cannot be read, or what to do, as the end of a sentence.
    let consequence: String
    /// Whether a file that cannot be read is moved to the folder `damaged`.
    let setsAside: Bool
    /// The moment at which content has just become durable.
    let durable: (any ThreadFaultPoint)?
    /// Returns the bytes of the file in a folder; nil if there is none.
    let bytes: @Sendable (Folder) throws(StorageError) -> [UInt8]?
    let decode: @Sendable ([UInt8]) throws -> Content
    let encode: @Sendable (Content) throws -> [UInt8]
}

extension DocumentFormat {
    /// A document in JSON.
    /// - Parameter byteLimit: A longer file is not read.
    init<Document: VersionedDocument>(
        _ document: Document.Type, fileName: String, byteLimit: Int, subject: String, consequence: String,
        setsAside: Bool = false, durable: (any ThreadFaultPoint)? = nil
    ) where Document.Content == Content {
        self.init(
            fileName: fileName, subject: subject, consequence: consequence, setsAside: setsAside, durable: durable,
            bytes: { folder throws(StorageError) in
                try folder.attempt { () throws(PosixError) in
                    try folder.entry(fileName) == nil ? nil : try folder.read(fileName, limit: byteLimit)
                }
            }, decode: { try Document.content(in: $0) }, encode: { try Document.encoded($0) })
    }
}
