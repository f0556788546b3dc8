import CameraKit
import CaptureModel
import CaptureTestSupport
import Foundation
import Glibc
import PosixSupport
import RigConfiguration
import SystemClock
import Testing

@testable import GPhotoCamera

/// A stream of a camera of the tests, with its source of pictures.
struct OpenCamera {
    let stream: any CameraStream
    let stills: any StillSource
    let clock = SystemTimeSource()

    init(_ camera: GPhotoCamera) async throws {
        stream = try await camera.start(FormatRequest(), clock: clock)
        stills = try #require(stream.stills)
    }

    /// Takes a picture so far ahead.
    func picture(in lead: Duration = .milliseconds(200), withRaw: Bool = false) async throws -> TakenPicture {
        try await stills.picture(at: clock.now() + lead, withRaw: withRaw)
    }

    /// Why the camera has taken none.
    func refusal() async -> CameraError? {
        do throws(CameraError) {
            _ = try await stills.picture(at: clock.now(), withRaw: false)
            return nil
        } catch {
            return error
        }
    }

    /// Why the stream has ended.
    func ending() async -> CameraError? {
        for await _ in stream.frames {}
        return stream.failure
    }
}

/// A camera as `ptpip_camera.py` plays it, the helper program as it is delivered, and Debian's libgphoto2.
@Suite("gphoto camera", .timeLimit(.minutes(10)))
struct GPhotoCameraTests {
    @Test("Takes pictures that were exposed within their bounds, by one after the other and several at once")
    func pictures() async throws {
        let fake = try PTPCamera(["--lag", "60", "--jitter", "40"])
        let camera = try await OpenCamera(fake.camera())
        let clock = SystemTimeSource()
        var taken = [try await camera.picture(), try await camera.picture()]
        let start = clock.now() + .milliseconds(200)
        async let first = camera.stills.picture(at: start, withRaw: false)
        async let second = camera.stills.picture(at: start + .milliseconds(300), withRaw: false)
        async let third = camera.stills.picture(at: start + .milliseconds(600), withRaw: false)
        taken += try await [first, second, third]
        for picture in taken {
            let error = (try PTPCamera.truth(picture) - picture.midExposure).magnitude
            #expect(error <= picture.stampBound)
            #expect(picture.midExposure <= picture.dequeued)
        }
        // Which of several requests reaches the camera's thread first, this machine decides.
        let instants = try taken.map(PTPCamera.truth)
        #expect(instants[0] < instants[1] && instants[1] < start && Set(instants).count == 5)
        for (number, instant) in instants.suffix(3).enumerated() {
            #expect(instant >= start + .milliseconds(300) * number)
        }
        #expect(camera.stream.hardware.make == "Caprig" && camera.stream.hardware.serial == "FAKE1")
        await camera.stream.stop()
        #expect(camera.stream.failure == nil)
    }

    @Test("A stated lag moves the request ahead of the instant, and a measured one narrows the bound")
    func lag() async throws {
        let fake = try PTPCamera(["--lag", "400"])
        let correction = StampCorrection(uncertainty: .milliseconds(300))
        let camera = try await OpenCamera(fake.camera(stamps: correction) { $0.lagMilliseconds = 400 })
        #expect(camera.stills.lag == .milliseconds(400))
        let instant = camera.clock.now() + .seconds(1)
        let picture = try await camera.stills.picture(at: instant, withRaw: false)
        #expect(picture.stampBound <= .milliseconds(300))
        // The request was not late, so it was exactly the lag ahead; how late it was, this machine decides.
        #expect(picture.midExposure >= instant)
        await camera.stream.stop()
    }

    @Test("Takes a picture with each of sixteen cameras at once", arguments: [16])
    func many(_ count: Int) async throws {
        let fakes = try (0..<count).map { try PTPCamera(["--lag", "30", "--jitter", "50", "--serial", "FAKE\($0)"]) }
        let found = try await withThrowingTaskGroup(of: (Int, TakenPicture).self) { group in
            for (number, fake) in fakes.enumerated() {
                let camera = try fake.camera { $0.serial = "FAKE\(number)" }
                group.addTask {
                    let open = try await OpenCamera(camera)
                    let picture = try await open.picture(in: .seconds(2))
                    await open.stream.stop()
                    return (number, picture)
                }
            }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        #expect(found.count == count)
        for picture in found.values {
            #expect((try PTPCamera.truth(picture) - picture.midExposure).magnitude <= picture.stampBound)
        }
        for fake in fakes { #expect(try fake.removed(0).isEmpty) }
    }

    @Test(
        "A picture that an ended stream has asked for is not taken for one of the next stream",
        .enabled(if: !TestExtent.isQuick, "it waits as long as the overdue picture may come"))
    func overdue() async throws {
        let fake = try PTPCamera(["--lag", "1000"])
        let camera = try fake.camera { $0.patienceMilliseconds = 10_000 }
        let ended = try await OpenCamera(camera)
        async let refusal = ended.refusal()
        _ = try fake.lines(1, of: "asked")
        await ended.stream.stop()
        #expect(await refusal != nil)
        let next = try await OpenCamera(camera)
        let requested = next.clock.now()
        let picture = try await next.stills.picture(at: requested, withRaw: false)
        let truth = try PTPCamera.truth(picture)
        #expect(truth >= requested && (truth - picture.midExposure).magnitude <= picture.stampBound)
        await next.stream.stop()
    }

    @Test("Removes exactly the pictures that the library has, and nothing of an earlier stream")
    func emptying() async throws {
        let fake = try PTPCamera(["--left", "2"])
        let camera = try fake.camera()
        let open = try await OpenCamera(camera)
        let first = try await open.picture()
        let second = try await open.picture()
        open.stills.isDurable(second.number)
        #expect(try fake.removed(1) == [4])
        await open.stream.stop()
        let again = try await OpenCamera(camera)
        again.stills.isDurable(first.number)
        again.stills.isDurable(TakenPicture.Number(77))
        let third = try await again.picture()
        again.stills.isDurable(third.number)
        #expect(try fake.removed(2) == [4, 5])
        await again.stream.stop()
    }

    @Test("Exposes the next picture while one is downloaded, in parts or as a whole", arguments: [[], ["--whole"]])
    func overlap(_ options: [String]) async throws {
        let fake = try PTPCamera(["--rate", "20000"] + options)
        let open = try await OpenCamera(fake.camera())
        let start = open.clock.now()
        async let first = open.stills.picture(at: start, withRaw: false)
        async let second = open.stills.picture(at: start + .milliseconds(100), withRaw: false)
        let (one, two) = try await (first, second)
        #expect(one.number != two.number)
        #expect(try PTPCamera.truth(one) != PTPCamera.truth(two))
        await open.stream.stop()
    }

    @Test("Takes the JPEG image of a camera that stores RAW too, and leaves the RAW on the card")
    func raw() async throws {
        let fake = try PTPCamera(["--raw"])
        let open = try await OpenCamera(fake.camera())
        for _ in 0..<2 {
            let picture = try await open.picture()
            #expect(picture.files.photo?.starts(with: [0xFF, 0xD8]) == true && picture.files.raw == nil)
            open.stills.isDurable(picture.number)
        }
        // The second file of each.
        #expect(try fake.removed(2) == [2, 4])
        await open.stream.stop()
    }

    @Test(
        "Takes image and raw file of one exposure, while the next is exposed, and removes both",
        arguments: [[], ["--whole"]])
    func pairs(_ options: [String]) async throws {
        let fake = try PTPCamera(["--raw", "--jitter", "20"] + options)
        let open = try await OpenCamera(fake.camera { $0.secondsPerPicture = 60 })
        #expect(open.stills.hasRawFiles)
        let start = open.clock.now() + .milliseconds(200)
        async let first = open.stills.picture(at: start, withRaw: true)
        async let second = open.stills.picture(at: start + .milliseconds(100), withRaw: true)
        async let third = open.stills.picture(at: start + .milliseconds(200), withRaw: false)
        let (one, two, three) = try await (first, second, third)
        for picture in [one, two] {
            let raw = try #require(picture.files.raw)
            #expect(raw.format == .nef && raw.bytes.count > 200_000)
            #expect(try PTPCamera.truth(raw) == PTPCamera.truth(picture))
            #expect((try PTPCamera.truth(picture) - picture.midExposure).magnitude <= picture.stampBound)
        }
        #expect(three.files.raw == nil && open.stills.byteCount.raw >= 200_000)
        let instants = try [one, two, three].map(PTPCamera.truth)
        #expect(Set(instants).count == 3)
        for picture in [one, two, three] { open.stills.isDurable(picture.number) }
        // The camera stores the raw file of an exposure first. Of the third request, it stays.
        let earlier = instants.count { $0 < instants[2] }
        #expect(try Set(fake.removed(5)) == Set(1...6).subtracting([2 * earlier + 1]))
        await open.stream.stop()
    }

    @Test("Matches image and raw file that a trigger causes to their instant")
    func wiredPair() async throws {
        let fake = try PTPCamera(["--lag", "0", "--raw"])
        let open = try await OpenCamera(
            fake.camera {
                $0.trigger = .wired
                ($0.secondsPerPicture, $0.largestLatencyMilliseconds) = (60, 20_000)
            })
        let now = open.clock.now()
        async let awaited = open.stills.picture(at: now, withRaw: true)
        try fake.expose()
        let picture = try await awaited
        #expect(try PTPCamera.truth(#require(picture.files.raw)) == PTPCamera.truth(picture))
        open.stills.isDurable(picture.number)
        #expect(try fake.removed(2) == [2, 1])
        await open.stream.stop()
    }

    @Test("Matches the pictures that a trigger causes to their instants")
    func wired() async throws {
        let fake = try PTPCamera(["--lag", "0"])
        let open = try await OpenCamera(
            fake.camera {
                $0.trigger = .wired
                ($0.secondsPerPicture, $0.largestLatencyMilliseconds) = (60, 20_000)
            })
        let now = open.clock.now()
        async let awaited = open.stills.picture(at: now, withRaw: false)
        try fake.expose()
        let picture = try await awaited
        #expect((try PTPCamera.truth(picture) - picture.midExposure).magnitude <= picture.stampBound)
        #expect(try fake.lines(1, of: "exposed").contains { $0.hasPrefix("exposed 1 ") })
        open.stills.isDurable(picture.number)
        _ = try fake.lines(1, of: "deleted")
        await open.stream.stop()
    }
}

@Suite("gphoto camera: settings", .timeLimit(.minutes(10)))
struct GPhotoSettingsTests {
    @Test("Sets the camera when it is opened, in the order of the configuration")
    func set() async throws {
        let fake = try PTPCamera()
        let open = try await OpenCamera(
            fake.camera {
                $0.settings = [.init(name: "iso", value: "400"), .init(name: "shutterspeed", value: "0.0160s")]
            })
        let changes = try fake.lines(2, of: "set").filter { $0.hasPrefix("set") }
        #expect(changes == ["set 500f 400", "set 500d 160"])
        await open.stream.stop()
    }

    @Test(
        "Names a setting that is refused, and what the camera accepts",
        arguments: [("iso", "123", "'400'"), ("no-such-entry", "1", "no-such-entry")])
    func refused(_ name: String, _ value: String, _ expected: String) async throws {
        let fake = try PTPCamera()
        let camera = try fake.camera { $0.settings = [.init(name: name, value: value)] }
        let refusal = await refusal(of: camera)
        #expect(refusal?.code == .unsupportedControl)
        #expect(refusal?.reason.contains(expected) == true, "\(refusal?.reason ?? "")")
    }
}

/// Starts, and returns why that fails; nil if it does not.
private func refusal(of camera: GPhotoCamera) async -> CameraError? {
    do throws(CameraError) {
        await (try await camera.start(FormatRequest(), clock: SystemTimeSource())).stop()
        return nil
    } catch {
        return error
    }
}

@Suite("gphoto camera: what goes wrong", .timeLimit(.minutes(10)))
struct GPhotoFaultTests {
    @Test("Names a missing helper, and says how to make it")
    func missing() async throws {
        var configuration = GPhotoCameraConfiguration(serial: "1", width: 320, height: 240)
        configuration.helper = "no-such-program-anywhere"
        let camera = GPhotoCamera(name: "booth", configuration: configuration)
        #expect(await refusal(of: camera)?.code == .absent)
        #expect(await camera.authorization() == .notDetermined)
        #expect(await camera.authorizationRemedy()?.contains("libgphoto2-dev") == true)
        #expect(try await GPhotoBackend(helper: "no-such-program-anywhere").discover() == nil)
    }

    @Test("Names a camera that is off, and one whose serial number is another")
    func absent() async throws {
        let fake = try PTPCamera()
        let other = await refusal(of: try fake.camera { $0.serial = "FAKE2" })
        #expect(other?.code == .absent)
        #expect(other?.reason.contains("FAKE1") == true, "\(other?.reason ?? "")")
        var configuration = try fake.configuration()
        configuration.port = "ptpip:127.0.0.1:1:1"
        let off = await refusal(of: GPhotoCamera(name: "booth", configuration: configuration))
        #expect(off?.code == .absent && off?.reason.contains("turn it off and on") == true, "\(off?.reason ?? "")")
    }

    @Test("Says that the card is full, and goes on when it has room again")
    func full() async throws {
        let fake = try PTPCamera(["--capacity", "1"])
        let open = try await OpenCamera(fake.camera())
        let picture = try await open.picture()
        let refusal = await open.refusal()
        #expect(refusal?.reason.contains("card is full") == true, "\(refusal?.reason ?? "")")
        open.stills.isDurable(picture.number)
        _ = try fake.lines(1, of: "deleted")
        _ = try await open.picture()
        #expect(open.stream.failure == nil)
        await open.stream.stop()
    }

    @Test("Takes more pictures than a camera accepts on its card, as the library gets them")
    func refusing() async throws {
        let fake = try PTPCamera(["--refuse-after", "12"])
        let open = try await OpenCamera(fake.camera())
        var kept: [TakenPicture] = []
        for _ in 0..<12 { kept.append(try await open.picture(in: .zero)) }
        let refusal = await open.refusal()
        #expect(refusal?.reason.contains("the library does not have yet") == true, "\(refusal?.reason ?? "")")
        for picture in kept { open.stills.isDurable(picture.number) }
        _ = try fake.lines(12, of: "deleted")
        for _ in 0..<12 { open.stills.isDurable(try await open.picture(in: .zero).number) }
        _ = try fake.lines(24, of: "deleted")
        await open.stream.stop()
    }

    @Test("Names a file of a pair that the camera does not store, takes the other one, and goes on")
    func halves() async throws {
        let fake = try PTPCamera(["--raw", "--lost-raw", "1", "--lost-image", "2"])
        let open = try await OpenCamera(fake.camera { $0.secondsPerPicture = 0.5 })
        let first = try await open.picture(withRaw: true)
        guard case .photoAlone(_, let noRaw) = first.files else { Issue.record("\(first.files.raw == nil)"); return }
        #expect(noRaw.contains("DSC_0001.JPG") && noRaw.contains("raw file"), "\(noRaw)")
        let second = try await open.picture(withRaw: true)
        guard case .rawAlone(let raw, let noPhoto) = second.files else { Issue.record("a photo"); return }
        #expect(noPhoto.contains("DSC_0002.NEF") && noPhoto.contains("JPEG"), "\(noPhoto)")
        #expect(try PTPCamera.truth(raw) > PTPCamera.truth(first))
        for picture in [first, second] { open.stills.isDurable(picture.number) }
        #expect(try fake.removed(2) == [1, 2])
        #expect(open.stream.failure == nil)
        await open.stream.stop()
    }

    @Test(
        "Ends the stream of a camera that is stuck, or takes no picture, with the reason; it can be opened again",
        arguments: [("--stuck", "stuck"), ("--mute", "stored no picture")])
    func silent(_ fault: String, _ expected: String) async throws {
        let fake = try PTPCamera([fault, "2"])
        let camera = try fake.camera { $0.patienceMilliseconds = 5000 }
        let open = try await OpenCamera(camera)
        _ = try await open.picture()
        let refusal = await open.refusal()
        #expect(refusal?.reason.contains(expected) == true, "\(refusal?.reason ?? "")")
        #expect(await open.ending()?.reason.contains(expected) == true)
        // The helper was killed in its call, and the camera is free.
        let again = try await OpenCamera(camera)
        _ = try await again.picture()
        await again.stream.stop()
    }

    @Test("A camera that breaks the connection fails by name, and can be opened again")
    func disconnected() async throws {
        let fake = try PTPCamera(["--disconnect", "2"])
        let camera = try fake.camera()
        let open = try await OpenCamera(camera)
        _ = try await open.picture()
        let refusal = await open.refusal()
        #expect(refusal?.reason.contains("port ptpip") == true || refusal?.reason.contains("ptpip:") == true)
        #expect(await open.ending() != nil)
        let again = try await OpenCamera(camera)
        _ = try await again.picture()
        await again.stream.stop()
    }

    @Test("Pictures that were under way when the stream is stopped end with that, and the helper is gone")
    func stopped() async throws {
        let fake = try PTPCamera(["--stuck", "1"])
        let open = try await OpenCamera(fake.camera())
        async let refusal = open.refusal()
        _ = try fake.lines(1, of: "stuck")
        await open.stream.stop()
        #expect(await refusal?.reason.contains("stopped") == true)
        #expect(await open.refusal() != nil)
        #expect(open.stream.failure == nil)
    }

    @Test("A helper that is none, or that ends, is named")
    func nonsense() async throws {
        let place = try TemporaryFolder()
        for (script, expected) in [("echo hello; sleep 600", "hello"), ("echo gone >&2; exit 7", "status 7")] {
            let path = try place.write(Array("#!/bin/sh\n\(script)\n".utf8), as: "helper")
            _ = unsafe chmod(path, 0o755)
            var configuration = GPhotoCameraConfiguration(serial: "1", width: 320, height: 240)
            configuration.helper = path
            configuration.startMilliseconds = 600_000
            let refusal = await refusal(of: GPhotoCamera(name: "booth", configuration: configuration))
            #expect(refusal?.reason.contains(expected) == true, "\(refusal?.reason ?? "")")
        }
    }

    @Test("A helper that ignores requests to end is killed with what it has started")
    func ignoring() async throws {
        let place = try TemporaryFolder()
        let script = """
            #!/bin/sh
            trap '' TERM HUP
            sleep 1000 & echo $! > '\(place.path)/child'
            printf 'camera\\ta\\tb\\tc\\td\\nready\\n'
            while :; do sleep 1000; done
            """
        let path = try place.write(Array(script.utf8), as: "helper")
        _ = unsafe chmod(path, 0o755)
        var configuration = GPhotoCameraConfiguration(serial: "1", width: 320, height: 240)
        configuration.helper = path
        configuration.startMilliseconds = 600_000
        let open = try await OpenCamera(GPhotoCamera(name: "booth", configuration: configuration))
        await open.stream.stop()
        let child = try #require(pid_t(String(decoding: try place.read("child").dropLast(), as: UTF8.self)))
        // Killed at the latest; the kernel may need a moment.
        while isRunning(child) { sched_yield() }
        #expect(open.stream.failure == nil)
    }
}

/// Whether a process runs; not one that has ended and waits to be reaped by its parent.
private func isRunning(_ process: pid_t) -> Bool {
    guard let state = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else { return false }
    return !state.contains(") Z ")
}

/// What holds for every camera, without what concerns frames.
@Suite("As any camera: gphoto", .timeLimit(.minutes(10)))
struct GPhotoConformanceTests {
    @Test("A camera without frames can be started again, and is busy while it runs")
    func life() async throws {
        let fake = try PTPCamera()
        let camera = try fake.camera()
        for _ in 0..<3 {
            let open = try await OpenCamera(camera)
            #expect(await refusal(of: camera)?.code == .busy)
            _ = try await open.picture(in: .zero)
            await withTaskGroup { group in
                for _ in 0..<4 { group.addTask { await open.stream.stop() } }
            }
            #expect(await open.ending() == nil)
        }
        var dropped: OpenCamera? = try await OpenCamera(camera)
        let frames = try #require(dropped).stream.frames
        dropped = nil
        for await _ in frames {}
        #expect(await refusal(of: camera) == nil)
    }

    @Test("Refuses a format that it does not have, and says which it has")
    func format() async throws {
        let camera = try PTPCamera().camera()
        let request = FormatRequest(width: 640, height: 480)
        let refusal: CameraError?
        do throws(CameraError) {
            await (try await camera.start(request, clock: SystemTimeSource())).stop()
            refusal = nil
        } catch {
            refusal = error
        }
        #expect(refusal?.code == .unsupportedFormat && refusal?.reason.contains("320x240") == true)
        #expect(try await camera.capabilities().formats.count == 1)
        #expect(await camera.authorization() == .authorized)
    }
}
