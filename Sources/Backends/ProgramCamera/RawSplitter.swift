import CaptureModel

/// Finds raw frames in a program's output. Each is a header, which is a line, and the bytes of its pixels.
///
/// | state | event | then |
/// |---|---|---|
/// | header | a line that is a header, of the format of the first frame | frame |
/// | header | another line, or too many bytes without an end | ``FoundPicture/refused(_:)``; ended |
/// | frame | its last byte | ``FoundPicture/image(_:began:)``; header |
/// | ended | anything | nothing |
///
/// Nothing is searched for: once a header is wrong, it is not known where the next one is. Memory is bounded by a frame and a piece. A
/// piece that ends with the frame is not copied. Pure.
struct RawSplitter: PictureSplitter {
    private enum State {
        case header
        case frame
        case ended
    }

    /// The bytes of the longest header, with its end.
    static let longestHeader = 64

    private(set) var format: RawFormat?
    private var state = State.header
    /// Bytes of the present header or frame, and those behind it.
    private var bytes: [UInt8] = []
    /// The number in the output of the first of them.
    private var offset = 0
    /// The number in the output of the first byte of the present frame's header.
    private var began = 0

    var start: Int { state == .frame ? began : offset }
    var end: Int { offset + bytes.count }
    var isWithinImage: Bool { state == .frame || (state == .header && !bytes.isEmpty) }
    /// None: what belongs to no frame ends the output.
    let skipped = 0

    var wanted: Int {
        guard state == .frame, let format else { return 4096 }
        return max(1, format.byteCount - bytes.count)
    }

    mutating func add<Result, Failure: Error>(
        _ body: (inout [UInt8]) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(&bytes)
    }

    mutating func next() -> FoundPicture? {
        switch state {
        case .header:
            do throws(RawFormat.Wrong) {
                guard try readHeader() else { return nil }
            } catch {
                state = .ended
                drop()
                return .refused(error.description)
            }
            return frame()
        case .frame: return frame()
        case .ended:
            drop()
            return nil
        }
    }

    /// Drops what has come.
    private mutating func drop() {
        offset += bytes.count
        bytes = []
    }

    /// Reads the header, and makes room for its frame.
    /// - Returns: Whether it was all there.
    private mutating func readHeader() throws(RawFormat.Wrong) -> Bool {
        guard let end = bytes.prefix(Self.longestHeader).firstIndex(of: UInt8(ascii: "\n")) else {
            guard bytes.count < Self.longestHeader else {
                throw RawFormat.Wrong("its output has a header of more than \(Self.longestHeader) bytes")
            }
            return false
        }
        let told = try RawFormat(header: String(decoding: bytes[..<end], as: UTF8.self))
        guard format ?? told == told else {
            throw RawFormat.Wrong("a frame has another format than those before it; end, to be started again")
        }
        format = told
        (state, began) = (.frame, offset)
        consume(end + 1)
        bytes.reserveCapacity(told.byteCount)
        return true
    }

    private mutating func frame() -> FoundPicture? {
        guard let format, bytes.count >= format.byteCount else { return nil }
        let frame: [UInt8]
        if bytes.count == format.byteCount {
            frame = bytes
            drop()
        } else {
            frame = Array(bytes[..<format.byteCount])
            consume(format.byteCount)
        }
        state = .header
        return .image(frame, began: began)
    }

    private mutating func consume(_ count: Int) {
        bytes.removeFirst(count)
        offset += count
    }
}
