import CaptureModel

/// A file on a camera's card.
struct CardFile: Hashable, Sendable {
    var folder: String
    var name: String
    /// 0 if it is unknown.
    var byteCount: Int

    /// Which file of a picture it is, by its extension; nil if it is none, such as a movie.
    var part: PicturePart? {
        guard let dot = name.lastIndex(of: ".") else { return nil }
        let ending = name[name.index(after: dot)...].lowercased()
        if ["jpg", "jpeg"].contains(ending) { return .photo }
        return CameraRawFormat(rawValue: ending).map(PicturePart.raw)
    }

    /// The name without its extension, in lower case: both files of a picture have the same.
    var stem: String { name.lastIndex(of: ".").map { name[..<$0].lowercased() } ?? name.lowercased() }
}

/// A file of a picture.
enum PicturePart: Hashable, Sendable {
    case photo
    case raw(CameraRawFormat)

    var isRaw: Bool { self != .photo }
}

/// When a camera has told of a file.
struct CardEvent: Hashable, Sendable {
    var file: CardFile
    /// The event came after this instant and not after ``instant``.
    var since: LocalTime
    var instant: LocalTime
}

/// A line of `caprig-gphoto`, whose source has the list of them.
enum HelperMessage: Hashable, Sendable {
    case camera(make: String, model: String, serial: String, port: String)
    case ready
    case added(CardEvent)
    case taking(id: String, before: LocalTime, after: LocalTime)
    /// Further bytes of a file.
    case data(id: String, [UInt8])
    case fetched(id: String, byteCount: Int)
    case done(id: String)
    case value(id: String, String)
    case failed(id: String, code: Int, reason: String)
    case lost(code: Int, reason: String)

    /// - Returns: nil for a line that is none, and for one that announces data.
    init?(_ line: String) {
        let words = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        switch (words.first, words.count) {
        case ("camera", 5): self = .camera(make: words[1], model: words[2], serial: words[3], port: words[4])
        case ("ready", 1): self = .ready
        case ("added", 6):
            guard let instant = LocalTime(word: words[1]), let since = LocalTime(word: words[2]), since <= instant,
                let count = Int(words[5]), count >= 0
            else { return nil }
            let file = CardFile(folder: words[3], name: words[4], byteCount: count)
            self = .added(CardEvent(file: file, since: since, instant: instant))
        case ("taking", 4):
            guard let before = LocalTime(word: words[2]), let after = LocalTime(word: words[3]), before <= after else {
                return nil
            }
            self = .taking(id: words[1], before: before, after: after)
        case ("fetched", 3):
            guard let count = Int(words[2]), count >= 0 else { return nil }
            self = .fetched(id: words[1], byteCount: count)
        case ("done", 2): self = .done(id: words[1])
        case ("value", 3): self = .value(id: words[1], words[2])
        case ("failed", 4):
            guard let code = Int(words[2]) else { return nil }
            self = .failed(id: words[1], code: code, reason: words[3])
        case ("lost", 3):
            guard let code = Int(words[1]) else { return nil }
            self = .lost(code: code, reason: words[2])
        default: return nil
        }
    }
}

extension LocalTime {
    fileprivate init?(word: String) {
        // Nothing that is computed with an instant overflows.
        guard let nanoseconds = Int64(word), (0...Int64.max / 4).contains(nanoseconds) else { return nil }
        self.init(nanoseconds: nanoseconds)
    }
}

/// Finds the messages in what the helper writes: lines, and after some of them the bytes that they announce. The type is pure.
struct HelperReader {
    /// What is neither a line of the helper nor bytes that it has announced.
    struct Nonsense: Error, Hashable {
        var line: String
    }

    static let longestLine = 8192
    /// The most bytes of a file.
    static let largestFile = 512 << 20

    private var line: [UInt8] = []
    /// The file whose bytes are next, and how many.
    private var awaited: (id: String, count: Int)?

    /// Reads further bytes.
    mutating func add(_ bytes: [UInt8]) throws(Nonsense) -> [HelperMessage] {
        var messages: [HelperMessage] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            if let (id, count) = awaited {
                let piece = rest.prefix(count)
                messages.append(.data(id: id, Array(piece)))
                rest = rest.dropFirst(piece.count)
                awaited = piece.count < count ? (id, count - piece.count) : nil
                continue
            }
            let end = rest.firstIndex(of: UInt8(ascii: "\n"))
            line += rest[..<(end ?? rest.endIndex)]
            guard line.count <= Self.longestLine else { throw Nonsense(line: text) }
            rest = rest[(end.map { $0 + 1 } ?? rest.endIndex)...]
            if end != nil { try takeLine(&messages) }
        }
        return messages
    }

    private var text: String { String(decoding: line, as: UTF8.self) }

    private mutating func takeLine(_ messages: inout [HelperMessage]) throws(Nonsense) {
        defer { line.removeAll(keepingCapacity: true) }
        let words = text.split(separator: "\t", omittingEmptySubsequences: false)
        if words.count == 3, words[0] == "data" {
            guard let count = Int(words[2]), (0...Self.largestFile).contains(count) else { throw Nonsense(line: text) }
            awaited = count > 0 ? (String(words[1]), count) : nil
        } else if let message = HelperMessage(text) {
            messages.append(message)
        } else {
            throw Nonsense(line: text)
        }
    }
}
