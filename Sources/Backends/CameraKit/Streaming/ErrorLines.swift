package import CaptureModel
package import Logging

/// What a program writes to its standard error: into the log, as far as that is not too much, and the last line for messages.
package struct ErrorLines {
    /// Lines that are logged within ``period``. The others are counted.
    package static let most = 20
    package static let period = Duration.seconds(10)
    private static let longestLine = 512

    private let log: Logger
    private let device: String
    private var partial: [UInt8] = []
    private var lastLine: [UInt8] = []
    private var start: LocalTime?
    private var count = 0

    package init(_ log: Logger, device: String) {
        self.log = log
        self.device = device
    }

    /// The last line that is not empty.
    package var last: String? { lastLine.isEmpty ? nil : Self.text(lastLine) }

    package mutating func add(_ bytes: some Sequence<UInt8>, at now: LocalTime) {
        for byte in bytes {
            switch byte {
            // Progress lines end with a carriage return.
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"): endLine(at: now)
            default: if partial.count < Self.longestLine { partial.append(byte) }
            }
        }
    }

    /// Ends the last line, which need not have an end.
    package mutating func finish(at now: LocalTime) {
        endLine(at: now)
        noteOmitted()
    }

    private mutating func endLine(at now: LocalTime) {
        defer { partial.removeAll(keepingCapacity: true) }
        guard partial.contains(where: { $0 > UInt8(ascii: " ") }) else { return }
        lastLine = partial
        if start.map({ now - $0 >= Self.period }) ?? true {
            noteOmitted()
            start = now
        }
        count += 1
        if count <= Self.most { log.notice("\(device): \(Self.text(partial))") }
    }

    private mutating func noteOmitted() {
        if count > Self.most { log.notice("\(device): and \(count - Self.most) more lines of its program") }
        count = 0
    }

    private static func text(_ line: [UInt8]) -> String { String(decoding: line, as: UTF8.self).printable() }
}
