import CaptureModel

/// Finds the pictures in a program's output, which comes in pieces of any size. Pure.
protocol PictureSplitter: Sendable {
    /// The number in the output of the first byte that may belong to a picture.
    var start: Int { get }
    /// The number of bytes that have come.
    var end: Int { get }
    /// Whether a picture has begun and not ended.
    var isWithinImage: Bool { get }
    /// Bytes since the last picture that belong to none.
    var skipped: Int { get }
    /// How many bytes it is best to read next. More do no harm.
    var wanted: Int { get }
    /// The format that the output states of its pictures; nil before that, and if the pictures state it themselves.
    var format: RawFormat? { get }

    /// Adds bytes of the output. Call ``next()`` until it returns nil before adding further ones.
    /// - Parameter body: Appends the bytes.
    mutating func add<Result, Failure: Error>(
        _ body: (inout [UInt8]) throws(Failure) -> Result
    ) throws(Failure) -> Result

    /// Returns the next picture; nil if its end has not come.
    mutating func next() -> FoundPicture?
}

/// A picture in a program's output, or what remains of one.
enum FoundPicture: Equatable {
    /// All bytes of a picture. Nothing else is known of it.
    case image([UInt8], began: Int)
    /// A picture that breaks off, is too large, or is nothing after its beginning.
    case torn(began: Int)
    /// Bytes after which no further picture can be found, and why.
    case refused(String)
}
