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

/// A partial shot of three cameras: two whole, one missed.
struct SampleShot {
    var shot: Shot

    private struct Malformed: Error {}

    init() throws {
        guard let id = ShotID("019a2c5e-7b5a-7c3e-9f0e-3d6c1a2b4f50"), let epoch = Epoch(rawValue: 7) else {
            throw Malformed()
        }
        var missed = Capture(device: DeviceDescription(id: try DeviceID("n3/cam1"), driver: "virtual"))
        missed.phase = .missed
        missed.problem = CaptureProblem(.nodeUnreachable, "n3 is not connected; start its agent")
        missed.files[0].outcome = .missed
        shot = Shot(
            id: id, time: RigTime(nanoseconds: 1_000_000_000), rigClock: RigClockID(rawValue: "clock"),
            wallClock: WallClockPair(
                monotonic: RigTime(nanoseconds: 0), realtimeNanoseconds: 1_795_256_143_250_000_000),
            coordinatorEpoch: epoch, request: ShotRequest(selection: Selection()),
            captures: [
                try Self.done("n1/cam1", skew: 1_200_000, bound: .microseconds(100), dequeued: 40, stored: 200),
                try Self.done("n2/cam1", skew: -800_000, bound: .microseconds(300), dequeued: 50, stored: 150), missed,
            ])
        shot.status = .partial
    }

    /// - Parameters:
    ///   - dequeued: Milliseconds after T.
    ///   - stored: Milliseconds after T.
    private static func done(
        _ id: String, skew: Int64, bound: Duration, dequeued: Int64, stored: Int64
    ) throws -> Capture {
        let device = try DeviceID(id)
        var capture = Capture(device: DeviceDescription(id: device, driver: "virtual"))
        let time = RigTime(nanoseconds: 1_000_000_000)
        capture.phase = .done
        capture.timing = FrameTiming(
            sequence: 1, localMidExposure: LocalTime(nanoseconds: 5),
            midExposure: BoundedRigTime(time: time + .nanoseconds(skew), bound: bound), skewNanoseconds: skew,
            dequeued: time + .milliseconds(dequeued))
        capture.files[0].outcome = .done
        capture.files[0].path = "\(device.folderName)/photo.jpg"
        capture.files[0].storedAt = time + .milliseconds(stored)
        return capture
    }
}
