/// A still as a sequence of inserted bytes and pieces of the camera's frame, so that pixels are copied only once, when
/// the still is written.
public struct JPEGStill: Hashable, Sendable {
    /// A piece of the still.
    public enum Piece: Hashable, Sendable {
        /// Bytes that the camera did not send.
        case inserted([UInt8])
        /// Bytes of the camera's frame, by offset.
        case original(Range<Int>)

        /// Number of bytes.
        public var count: Int {
            switch self {
            case .inserted(let bytes): bytes.count
            case .original(let range): range.count
            }
        }
    }

    /// The pieces in file order.
    public private(set) var pieces: [Piece] = []
    /// The frame's size and components.
    public let frame: JPEGFrame

    init(frame: JPEGFrame) { self.frame = frame }

    /// The number of bytes of the complete still.
    public var byteCount: Int { pieces.reduce(0) { $0 + $1.count } }

    mutating func insert(_ bytes: [UInt8]) {
        pieces.append(.inserted(bytes))
    }

    mutating func keep(_ range: Range<Int>) {
        if case .original(let last) = pieces.last, last.upperBound == range.lowerBound {
            pieces[pieces.count - 1] = .original(last.lowerBound..<range.upperBound)
        } else {
            pieces.append(.original(range))
        }
    }

    /// Keeps the image from its first scan to its end, with an end marker.
    mutating func keepScans(of structure: JPEGStructure) {
        keep(structure.scanOffset..<structure.endOffset)
        if !structure.hasEndMarker { insert([0xFF, JPEGMarker.endOfImage]) }
    }

    /// Appends the still's bytes.
    ///
    /// - Parameters:
    ///   - output: Receives ``byteCount`` bytes after its content.
    ///   - original: The frame from which the still was made.
    /// - Throws: ``JPEGProblem/truncated(byteCount:)`` if `original` is shorter than that frame; `output` is then unchanged.
    public func write(into output: inout [UInt8], original: Span<UInt8>) throws(JPEGProblem) {
        for case .original(let range) in pieces where range.upperBound > original.count {
            throw .truncated(byteCount: original.count)
        }
        output.reserveCapacity(output.count + byteCount)
        for piece in pieces {
            switch piece {
            case .inserted(let bytes): output.append(contentsOf: bytes)
            case .original(let range): output.append(copying: original.extracting(range))
            }
        }
    }
}

extension [UInt8] {
    /// Appends in one copy. A loop over the span would cost milliseconds per frame in unoptimized builds.
    mutating func append(copying bytes: Span<UInt8>) {
        // The pointer is used only within the closure, while the span is borrowed.
        unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }
}
