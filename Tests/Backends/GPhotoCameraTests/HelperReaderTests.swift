import CaptureModel
import Testing

@testable import GPhotoCamera

@Suite("gphoto camera: what the helper writes")
struct HelperReaderTests {
    private func messages(_ text: String) throws -> [HelperMessage] {
        var reader = HelperReader()
        return try reader.add(Array(text.utf8))
    }

    @Test("Reads every kind of line")
    func lines() throws {
        let file = CardFile(folder: "/store/DCIM", name: "A 1.JPG", byteCount: 7)
        let event = CardEvent(file: file, since: LocalTime(nanoseconds: 4), instant: LocalTime(nanoseconds: 5))
        #expect(
            try messages(
                "camera\tNikon\tZ 6\t123\tusb:1,2\nready\nadded\t5\t4\t/store/DCIM\tA 1.JPG\t7\ntaking\tt1\t2\t3\n"
                    + "fetched\tf1\t7\ndone\td1\nvalue\ts0\t400\nfailed\tt1\t-110\tbusy\nlost\t-7\tgone\n") == [
                    .camera(make: "Nikon", model: "Z 6", serial: "123", port: "usb:1,2"), .ready, .added(event),
                    .taking(id: "t1", before: LocalTime(nanoseconds: 2), after: LocalTime(nanoseconds: 3)),
                    .fetched(id: "f1", byteCount: 7), .done(id: "d1"), .value(id: "s0", "400"),
                    .failed(id: "t1", code: -110, reason: "busy"), .lost(code: -7, reason: "gone"),
                ])
    }

    @Test("Passes on the bytes of files, whatever they are and however they are cut", arguments: [1, 2, 7, 100])
    func data(_ size: Int) throws {
        let bytes = Array("data\tf1\t9\nready\n\tx\ndata\tf1\t0\ndata\tf2\t2\n\n\nready\n".utf8)
        var reader = HelperReader()
        var found: [HelperMessage] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            found += try reader.add(Array(bytes[start..<min(start + size, bytes.count)]))
        }
        var files: [String: [UInt8]] = [:]
        for case .data(let id, let piece) in found { files[id, default: []] += piece }
        #expect(files == ["f1": Array("ready\n\tx\n".utf8), "f2": [10, 10]])
        #expect(found.last == .ready)
    }

    @Test(
        "Refuses what it does not write",
        arguments: [
            "hello\n", "ready\tx\n", "added\t5\t6\ta\tb\t1\n", "added\t-5\t-6\ta\tb\t1\n", "taking\tt1\t3\t2\n",
            "taking\tt1\t3\t9223372036854775807\n",
            "fetched\tf1\t-1\n", "data\tf1\t-1\n", "data\tf1\t99999999999\n", "failed\tt1\tx\ty\n", "\n",
            String(repeating: "x", count: 9000),
        ])
    func nonsense(_ text: String) {
        #expect(throws: HelperReader.Nonsense.self) { try messages(text) }
    }
}
