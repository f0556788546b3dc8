import CameraKit
import CaptureModel
import CaptureTestSupport
import Glibc
import RigConfiguration
import SystemClock
import Testing

@testable import GPhotoCamera

/// A hundred faults that are chosen at random, half of them of the camera and half of the helper program.
///
/// Whatever goes wrong: a picture is whole, is that of its request and was exposed within its bound; a request without one has a reason; the
/// camera takes pictures again, within the time that the limits of its configuration allow; no process, descriptor or memory is left.
@Suite(
    "gphoto camera: random faults", .enabled(if: !TestExtent.isQuick, "each fault takes seconds"),
    .timeLimit(.minutes(10)))
struct GPhotoRandomFaultTests {
    private static let count = 50

    @Test("Survives random faults of a camera")
    func camera() async throws {
        let kinds = [
            "stuck", "mute", "vanish", "refuse", "full", "garbage", "lag", "repeat", "stranger", "flood", "half",
            "short", "stall", "gone", "slow",
        ]
        let fake = try PTPCamera(["--lag", "5", "--jitter", "10"])
        let camera = try fake.camera(Self.limit)
        let before = try await Holdings.after(camera, running: Helper.path.get())
        var trial = try await Trial(camera)
        // A picture of an earlier stream would be taken for one of this stream if it were announced again: only this stream's are known.
        try await trial.endure("nothing")
        var generator = SeededGenerator(seed: 17)
        for _ in 0..<Self.count {
            let fault = kinds.randomElement(using: &generator) ?? ""
            try fake.spoil(fault)
            try await trial.endure(fault)
            if Bool.random(using: &generator) { trial.emptyCard() }
        }
        // Another fault may have come before there was a download to spoil.
        _ = try fake.lines(Self.count / 2, of: "faulty")
        try await trial.end(with: before)
    }

    @Test("Survives random faults of the helper program")
    func helper() async throws {
        let kinds = [
            "die", "kill", "hang", "lost", "refuse", "garbage", "line", "close", "loud", "stranger", "raw", "mute",
            "early", "twice", "half", "stall", "short", "long", "unreadable", "stubborn",
        ]
        let faulty = try FaultyHelper()
        let camera = GPhotoCamera(name: "booth", configuration: try faulty.configuration(Self.limit))
        try faulty.spoil("none", at: 0)
        let before = try await Holdings.after(camera, running: faulty.path)
        var trial = try await Trial(camera)
        var generator = SeededGenerator(seed: 23)
        for _ in 0..<Self.count {
            let fault = kinds.randomElement(using: &generator) ?? ""
            try faulty.spoil(fault, at: Int.random(in: 0...1, using: &generator))
            try await trial.open()
            try faulty.spoil("none", at: 0)
            try await trial.endure(fault)
        }
        try await trial.end(with: before)
    }

    /// Short, so that faults are noticed soon. A slow machine may take a picture for missing, which is one more fault.
    private static func limit(_ configuration: inout GPhotoCameraConfiguration) {
        configuration.patienceMilliseconds = 500
        configuration.startMilliseconds = 30_000
    }
}

/// A camera of which something goes wrong, and what it has delivered.
private struct Trial {
    private let camera: GPhotoCamera
    private let clock = SystemTimeSource()
    private var stream: OpenCamera
    private var seen: Set<LocalTime> = []
    private var newest: TakenPicture?
    private var refusal = "none"

    /// A fault is noticed within the patience, the helper is killed two seconds later, the camera is opened, and takes a picture when the one
    /// before is overdue for as long as the patience.
    private static let longestRecovery = Duration.milliseconds(500 + 2000 + 30_000 + 500 + 500)

    init(_ camera: GPhotoCamera) async throws {
        self.camera = camera
        stream = try await OpenCamera(camera)
    }

    /// Takes pictures while something goes wrong, and until that is over.
    mutating func endure(_ fault: String) async throws {
        let start = clock.now()
        for _ in 0..<2 { _ = try await takePicture(fault) }
        while try await !takePicture(fault) {
            try Task.checkCancellation()
            try await open()
        }
        #expect(clock.now() - start <= Self.longestRecovery, "after '\(fault)'")
    }

    /// - Returns: Whether there is a picture.
    private mutating func takePicture(_ fault: String) async throws -> Bool {
        let requested = clock.now()
        do throws(CameraError) {
            newest = try await stream.stills.picture(at: requested, withRaw: false)
        } catch {
            #expect(!error.reason.isEmpty, "after '\(fault)'")
            refusal = "\(fault): \(error.reason)"
            return false
        }
        let picture = try #require(newest)
        let truth = try PTPCamera.truth(picture)
        let error = (truth - picture.midExposure).magnitude
        #expect(try PTPCamera.isWhole(picture), "after '\(fault)'")
        #expect(
            truth >= requested && seen.insert(truth).inserted,
            "after '\(fault)', the picture of another request; the last refusal was \(refusal)")
        #expect(error <= picture.stampBound, "after '\(fault)'")
        return true
    }

    /// Opens the camera again.
    mutating func open() async throws {
        await stream.stream.stop()
        stream = try await OpenCamera(camera)
    }

    /// Tells the camera that the library has its newest picture.
    func emptyCard() {
        if let newest { stream.stills.isDurable(newest.number) }
    }

    /// Closes the camera, and returns when no more is held than at first.
    func end(with before: Holdings) async throws {
        await stream.stream.stop()
        try await before.awaitNoMore()
        #expect(try before.growth() < Holdings.usualGrowth)
    }
}

extension Holdings {
    /// Opens and closes a camera first, so that what it takes for good is taken.
    fileprivate static func after(_ camera: GPhotoCamera, running helper: String) async throws -> Holdings {
        let first = try await OpenCamera(camera)
        _ = try? await first.picture(in: .zero)
        await first.stream.stop()
        // Without a slash at its end, since the program may be told the folder itself.
        let folder = "/" + helper.split(separator: "/").dropLast().joined(separator: "/")
        try await awaitNoProgram(in: folder)
        return try Holdings(programsIn: folder)
    }
}

/// A helper program that does one thing wrong: `faulty_helper.py`.
private struct FaultyHelper {
    private let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        let program = "/" + #filePath.split(separator: "/").dropLast().joined(separator: "/") + "/faulty_helper.py"
        let script = "#!/bin/sh\nexec /usr/bin/python3 '\(program)' '\(folder.path)' \"$@\"\n"
        path = try folder.write(Array(script.utf8), as: "helper")
        _ = unsafe chmod(path, 0o755)
        try folder.write(try PTPCamera.bytes(), as: "picture.jpg")
    }

    func configuration(_ change: (inout GPhotoCameraConfiguration) -> Void) throws -> GPhotoCameraConfiguration {
        var configuration = GPhotoCameraConfiguration(
            serial: "FAULTY", width: PTPCamera.width, height: PTPCamera.height)
        configuration.helper = path
        change(&configuration)
        return configuration
    }

    /// Chooses what goes wrong with a request of those that are started from here on.
    func spoil(_ fault: String, at request: Int) throws {
        try folder.write(Array("\(fault) \(request)".utf8), as: "fault")
    }
}
