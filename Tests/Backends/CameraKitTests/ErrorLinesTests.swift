import CaptureModel
import CaptureTestSupport
import Testing

@testable import CameraKit

@Suite("Camera programs: standard error")
struct ErrorLinesTests {
    private let log = CapturedLog()
    private let start = LocalTime(nanoseconds: 0)

    private var messages: [String] { log.lines.value.map(\.message) }

    @Test("Logs each line with the device, without characters that act on a terminal")
    func lines() {
        var lines = ErrorLines(log.logger, device: "left")
        lines.add("one\r\n\n  \ntw\u{1B}[31mo\nthr".utf8, at: start)
        #expect(messages == ["left: one", "left: tw\u{FFFD}[31mo"])
        lines.finish(at: start)
        #expect(messages.last == "left: thr" && lines.last == "thr")
    }

    @Test("Logs at most 20 lines in ten seconds, then the number of the others")
    func limited() {
        var lines = ErrorLines(log.logger, device: "left")
        for number in 0..<50 { lines.add("line \(number)\n".utf8, at: start) }
        #expect(messages.count == ErrorLines.most && lines.last == "line 49")
        lines.add("later\n".utf8, at: start + ErrorLines.period)
        #expect(messages.suffix(2) == ["left: and 30 more lines of its program", "left: later"])
    }

    @Test("Keeps a line without an end within bounds")
    func endless() {
        var lines = ErrorLines(log.logger, device: "left")
        lines.add([UInt8](repeating: 0x41, count: 1_000_000), at: start)
        lines.finish(at: start)
        #expect(messages.count == 1 && messages[0].utf8.count < 1000)
    }
}
