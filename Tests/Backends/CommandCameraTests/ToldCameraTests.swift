import CameraKit
import CaptureModel
import Testing

@testable import ProgramCamera

@Suite("Command camera: what a program tells of its camera")
struct ToldCameraTests {
    @Test("Reads hardware, formats and why the program ends, and leaves other lines to others")
    func lines() throws {
        var told = ToldCamera()
        for line in [
            "hardware make Acme Optics", "hardware model One 5 MP", "hardware serial 00-12",
            "offer RG12 16 2448 8 16 2048 2 0.5 35.5", "offer GREY 640 640 1 480 480 1 30 30",
        ] {
            #expect(try told.add(line: line))
        }
        #expect(told.make == "Acme Optics" && told.model == "One 5 MP" && told.serial == "00-12")
        #expect(told.formats.map(\.pixelFormat) == [.rggb12, .grey])
        let size = try #require(told.formats.first?.sizes.first)
        #expect(size.widths == PixelRange(16, 2448, step: 8) && size.heights == PixelRange(16, 2048, step: 2))
        #expect(size.intervals.first?.longestNanoseconds == 2_000_000_000)
        #expect(told.failure == nil)
        #expect(told.ready == nil)
        #expect(try told.add(line: "ready frame GREY 640 480 307200 full"))
        #expect(told.ready?.pixelFormat == .grey && told.ready?.byteCount == 307_200)
        #expect(try told.add(line: "failed busy another program controls it"))
        #expect(told.failure == ToldCamera.Failure(code: .busy, reason: "another program controls it"))
        #expect(try !told.add(line: "control gain integer 0 9 1 0 0 active -"))
        #expect(try !told.add(line: "1 2 3 4"))
    }

    @Test(
        "Refuses a line that is none of a camera",
        arguments: [
            "hardware", "hardware make", "hardware color red", "offer GREY 1 2 1 1 2 1 30",
            "offer WXYZ 1 2 1 1 2 1 1 30",
            "offer GREY 2 1 1 1 2 1 1 30", "offer GREY 1 2 0 1 2 1 1 30", "offer GREY 1 70000 1 1 2 1 1 30",
            "offer GREY 1 2 1 1 2 1 30 1", "offer GREY 1 2 1 1 2 1 0 30", "offer GREY 1 2 1 1 2 1 nan nan",
            "offer GREY 1 2 1 1 2 1 1 inf", "failed", "failed busy", "failed ambiguous x", "ready",
            "ready frame GREY 640 480 1 full", "failed noSuchCode x",
        ])
    func wrong(line: String) {
        var told = ToldCamera()
        #expect(throws: ProgramLines.Mismatch.self) { try told.add(line: line) }
    }

    @Test("Keeps a bounded number of formats")
    func bounded() throws {
        var told = ToldCamera()
        let line = "offer GREY 16 64 1 16 48 1 1 30"
        for _ in 0..<ToldCamera.mostFormats { _ = try told.add(line: line) }
        #expect(throws: ProgramLines.Mismatch.self) { try told.add(line: line) }
    }
}
