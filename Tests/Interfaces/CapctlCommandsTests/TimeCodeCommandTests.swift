import ArgumentParser
import CaptureModel
import CaptureTestSupport
import Synchronization
import Testing
import TimeCode

@testable import CapctlCommands

@Suite struct TimeCodeCommandTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func run(_ arguments: String...) async throws -> (status: CommandStatus, output: String, notes: String) {
        let output = Mutex("")
        let notes = Mutex("")
        let console = Console(
            write: { text in output.withLock { $0 += text } }, note: { text in notes.withLock { $0 += text } },
            isTerminal: false)
        guard let command = try Capctl.parseAsRoot(["timecode"] + arguments) as? TimeCodeCommand else {
            throw CommandFailure(.usage, "no timecode command")
        }
        let status = await command.outcome(console)
        return (status, output.withLock { $0 }, notes.withLock { $0 })
    }

    @Test func aGrayMapsTimeCodeIsPrinted() async throws {
        let code = TimeCode(realtimeNanoseconds: 1_795_256_143_250_000_000, frameNumber: 7, cameraNumber: 3)
        let file = try folder.write(try SamplePicture.grayMap(of: code), as: "a.pgm")
        let (status, output, notes) = try await run(file)
        #expect(status == .complete && notes.isEmpty)
        #expect(output.contains("2026-11-21T10:15:43.250000000Z  1795256143250000000      7       3  \(file)"))
    }

    @Test func oneUnreadableFileMakesTheResultPartial() async throws {
        let code = TimeCode(realtimeNanoseconds: 1, frameNumber: 7, cameraNumber: 3)
        let good = try folder.write(try SamplePicture.grayMap(of: code), as: "a.pgm")
        let bad = try folder.write([0xFF, 0xD8, 0xFF], as: "b.jpg")
        let (status, output, notes) = try await run(good, bad, "--format", "json")
        #expect(status == .partial)
        #expect(output.contains("\"frame\" : 7"))
        #expect(notes.contains(bad))
    }

    @Test func aMissingFileIsNamed() async throws {
        let (status, _, notes) = try await run(folder.path + "/none.jpg")
        #expect(status == .failed)
        #expect(notes.contains("none.jpg: cannot be opened"))
    }

    @Test(arguments: [
        "P5", "P5 2 2 255", "P5 2 2 255\n123", "P5 0 2 255\n", "P5 99999 99999 255\n", "P5 2 2 65535\n12345678",
        "P6 2 2 255\n1234", "P5 9999999 2 255\n", "P5 # no end",
    ])
    func aDamagedGrayMapIsRefused(_ text: String) {
        #expect(PortableGrayMap(Array(text.utf8)) == nil)
    }

    @Test func commentsOfAGrayMapAreSkipped() {
        #expect(PortableGrayMap(Array("P5 # made by\n 2 # wide\n1\n255\nab".utf8))?.luma == [97, 98])
    }
}

/// Pictures as a virtual camera draws them.
enum SamplePicture {
    /// A binary PGM with nothing but the code.
    static func grayMap(of code: TimeCode) throws -> [UInt8] {
        let (width, height) = (320, 200)
        var luma = [UInt8](repeating: 128, count: width * height)
        try TimeCodeLayout(width: width, height: height).draw(code, into: &luma, stride: width)
        return Array("P5 \(width) \(height) 255\n".utf8) + luma
    }
}
