import CameraConformance
import CameraKit
import CaptureModel
import CaptureTestSupport
import ProgramCamera
import RigConfiguration
import SystemClock
import Testing

@testable import AravisCamera

/// A running stream of a camera of the tests.
private struct OpenCamera {
    let stream: any CameraStream

    init(_ camera: any Camera, _ request: FormatRequest = FormatRequest()) async throws {
        stream = try await camera.start(request, clock: SystemTimeSource())
    }

    /// The next frame that is as wanted; fails if the stream has ended.
    func frame(where isWanted: (CameraFrame) throws -> Bool = { _ in true }) async throws -> CameraFrame {
        for await frame in stream.frames where try isWanted(frame) { return frame }
        throw GEVCamera.Missing(description: "the stream has ended: \(String(describing: stream.failure))")
    }

    func frames(_ count: Int) async throws -> [CameraFrame] {
        var read: [CameraFrame] = []
        while read.count < count { read.append(try await frame()) }
        return read
    }

    /// Why the stream has ended.
    func ending() async -> CameraError? {
        for await _ in stream.frames {}
        return stream.failure
    }
}

/// Starts, and returns why that fails; nil if it does not.
private func refusal(of camera: any Camera, _ request: FormatRequest = FormatRequest()) async -> CameraError? {
    do throws(CameraError) {
        await (try await camera.start(request, clock: SystemTimeSource())).stop()
        return nil
    } catch {
        return error
    }
}

/// Each check is a separate test, whose name says what would be wrong. A camera as `gev_camera.py` plays it, the helper program as it is
/// delivered, and Debian's Aravis.
@Suite("As any camera: aravis", .timeLimit(.minutes(10)))
struct AravisConformanceTests {
    @Test("A GigE Vision camera", arguments: ConformanceCheck.allCases)
    func check(_ check: ConformanceCheck) async throws {
        let (fake, other) = (try GEVCamera(), try GEVCamera(["--serial", "FAKE2"]))
        let conformance = CameraConformance(
            request: FormatRequest(pixelFormat: .grey), clock: SystemTimeSource(),
            makeCamera: { try fake.camera() }, makeOther: { try other.camera() },
            truth: { try GEVCamera.truth($0).start + .milliseconds(2) })
        try await conformance.run(check)
    }
}

@Suite("aravis camera: frames", .timeLimit(.minutes(10)))
struct AravisFramesTests {
    /// The camera's format, that of the rig, and the bits that are dropped.
    private static let pixelFormats: [(String, PixelFormat, Int)] = [
        ("Mono8", .grey, 0), ("Mono10", .y10, 0), ("Mono12", .y12, 0), ("Mono16", .y12, 4), ("Mono10p", .y10, 0),
        ("Mono12p", .y12, 0), ("Mono10Packed", .y10, 0), ("Mono12Packed", .y12, 0), ("BayerRG8", .rggb8, 0),
        ("BayerGB12", .gbrg12, 0), ("BayerBG12p", .bggr12, 0), ("BayerGR10Packed", .grbg10, 0),
        ("BayerRG16", .rggb16, 0), ("RGB8", .rgb24, 0), ("BGR8", .rgb24, 0), ("YUV422_8", .yuyv, 0),
    ]

    @Test("Delivers every pixel format with the samples that the camera has", arguments: pixelFormats)
    func formats(_ name: String, _ format: PixelFormat, _ dropped: Int) async throws {
        let fake = try GEVCamera(["--formats", name])
        let camera = try await OpenCamera(fake.camera(), FormatRequest(pixelFormat: format))
        let frame = try await camera.frame()
        #expect(camera.stream.format.pixelFormat == format && camera.stream.sampleRange == .full)
        let bytes = frame.lease.bytes
        try #require(bytes.count == format.byteCount(width: GEVCamera.width, height: GEVCamera.height))
        let sampleBytes = name.contains("8") ? 1 : 2
        let bits = name.contains("16") ? 16 : name.contains("12") ? 12 : name.contains("10") ? 10 : 8
        let columns = bytes.count / sampleBytes / GEVCamera.height
        // From the second row on: the first samples tell the time.
        for row in 1..<GEVCamera.height {
            for column in 0..<columns {
                let place = (row * columns + column) * sampleBytes
                let value = Int(bytes[place]) | (sampleBytes == 2 ? Int(bytes[place + 1]) << 8 : 0)
                let swapped = name == "BGR8" ? column + 2 - 2 * (column % 3) : column
                let expected = GEVCamera.sample(swapped, row, bits: bits) >> dropped
                try #require(value == expected, "\(name) at \(column), \(row)")
            }
        }
        await camera.stream.stop()
    }

    @Test("Chooses among the camera's formats and sizes, and takes the middle of the sensor")
    func chosen() async throws {
        let fake = try GEVCamera(["--formats", "BayerRG8,Mono8,Mono12"])
        let request = FormatRequest(width: 32, height: 24, framesPerSecond: 50)
        let camera = try await OpenCamera(fake.camera(), request)
        #expect(camera.stream.format.description == "GREY 32x24 50 fps")
        #expect(try await camera.frame().lease.byteCount == 32 * 24)
        await camera.stream.stop()
        let offers = try await fake.camera().capabilities().formats
        #expect(offers.map(\.pixelFormat) == [.grey, .y12, .rggb8])
        let size = try #require(offers[0].sizes.first)
        #expect(size.widths == PixelRange(16, 64, step: 8) && size.heights == PixelRange(16, 48, step: 2))
    }

    @Test(
        "Refuses a format that the camera lacks, and says what it has",
        arguments: [
            (FormatRequest(pixelFormat: .yuyv), "GREY"), (FormatRequest(width: 33), "16 to 64 in steps of 8"),
            (FormatRequest(height: 50), "16 to 48"), (FormatRequest(framesPerSecond: 500), "1 to 200"),
        ])
    func unsupported(_ request: FormatRequest, _ expected: String) async throws {
        let fake = try GEVCamera()
        let refusal = await refusal(of: try fake.camera(), request)
        #expect(refusal?.code == .unsupportedFormat)
        #expect(refusal?.reason.contains(expected) == true, "\(String(describing: refusal))")
    }

    @Test("Numbers of frames go on when the camera's wrap, and tell of every frame that is missing")
    func numbers() async throws {
        let fake = try GEVCamera(["--damage-every", "3", "--no-resend", "--fps", "60"])
        let camera = try await OpenCamera(fake.camera())
        let frames = try await camera.frames(16)
        await camera.stream.stop()
        let truths = try frames.map(GEVCamera.truth)
        for (frame, truth) in zip(frames, truths) {
            #expect(frame.sequence - frames[0].sequence == truth.number - truths[0].number)
            #expect(GEVCamera.isWhole(frame))
            #expect((truth.number + 1) % 3 != 0, "a damaged frame was delivered")
        }
        let missing = truths[15].number - truths[0].number - 15
        #expect(missing > 0 && missing <= camera.stream.losses.droppedByDevice + camera.stream.losses.droppedByNode)
    }

    @Test("Asks for lost packets again, unless that is turned off")
    func resend() async throws {
        let fake = try GEVCamera(["--damage-every", "4"])
        let camera = try await OpenCamera(fake.camera())
        let mended = try await camera.frame { (try GEVCamera.truth($0).number + 1) % 4 == 0 }
        #expect(GEVCamera.isWhole(mended))
        await camera.stream.stop()
        #expect(try !fake.lines(1, of: "resent").isEmpty)
        let other = try GEVCamera(["--damage-every", "4"])
        let without = try await OpenCamera(other.camera { $0.resend = false })
        _ = try await without.frame { try GEVCamera.truth($0).number > 8 }
        await without.stream.stop()
        #expect(try other.lines(of: "resent").isEmpty)
    }

    @Test("Survives a hundred random faults of the wire: no damaged frame is delivered, and none is lost silently")
    func faults() async throws {
        let fake = try GEVCamera(["--fps", "50"])
        try await endureFaults(1, of: fake)
        let before = try Holdings()
        try await endureFaults(TestExtent.isQuick ? 12 : 100, of: fake)
        try await before.awaitNoMore()
        #expect(try before.growth() < Holdings.usualGrowth)
    }

    /// - Parameter count: At least.
    private func endureFaults(_ count: Int, of fake: GEVCamera) async throws {
        var generator = SeededGenerator(seed: 11)
        let kinds = [
            "lost", "leader", "trailer", "payload", "half", "twice", "reordered", "truncated", "resized", "recolored",
            "strange", "short", "late",
        ]
        let camera = try await OpenCamera(fake.camera())
        let first = try await camera.frame()
        let base = try GEVCamera.truth(first).number
        let earlier = try fake.lines(of: "faulty").count
        var faulty = 0
        while faulty < count {
            let burst = (0..<Int.random(in: 1...3, using: &generator)).map { _ in
                kinds.randomElement(using: &generator) ?? "lost"
            }
            try fake.spoil(burst)
            faulty += burst.count
            let spoiled = try fake.lines(earlier + faulty, of: "faulty")
            let last = try #require(spoiled.last.flatMap { UInt64($0.dropFirst("faulty ".count)) })
            let frame = try await camera.frame {
                let truth = try GEVCamera.truth($0)
                #expect(GEVCamera.isWhole($0), "after \(burst)")
                #expect($0.sequence - first.sequence == truth.number - base, "after \(burst)")
                return truth.number > last
            }
            #expect(frame.stampBound >= .zero)
        }
        #expect(camera.stream.failure == nil)
        await camera.stream.stop()
    }
}

/// Half a minute, two seconds of a quick run, or ten minutes of a long one.
@Suite("aravis camera: endurance", .timeLimit(.minutes(30)))
struct AravisEnduranceTests {
    @Test("Four cameras of 720p at once lose no frame silently")
    func four() async throws {
        let seconds = TestExtent.isQuick ? 2 : TestExtent.isLong ? 600 : 30
        let options = ["--width", "1280", "--height", "720", "--fps", "30"]
        let fakes = try (1...4).map { try GEVCamera(options + ["--serial", "FAKE\($0)"]) }
        try await withThrowingTaskGroup { group in
            for fake in fakes {
                let camera = try fake.camera { $0.packetSize = 9000 }
                group.addTask {
                    let open = try await OpenCamera(camera)
                    let first = try await open.frame()
                    let base = try GEVCamera.truth(first).number
                    var (last, received) = (base, UInt64(1))
                    while last < base + UInt64(seconds * 30) {
                        let frame = try await open.frame()
                        last = try GEVCamera.truth(frame).number
                        received += 1
                        guard frame.sequence - first.sequence == last - base, frame.lease.byteCount == 1280 * 720 else {
                            throw GEVCamera.Missing(description: "frame \(last) has the number \(frame.sequence)")
                        }
                    }
                    let losses = open.stream.losses
                    await open.stream.stop()
                    return (received, last - base + 1, losses)
                }
            }
            for try await (received, exposed, losses) in group {
                print("aravis: \(received) of \(exposed) frames, \(losses)")
                #expect(exposed - received <= losses.droppedByDevice + losses.droppedByNode)
            }
        }
    }
}

@Suite("aravis camera: times", .timeLimit(.minutes(10)))
struct AravisTimesTests {
    @Test(
        "The camera's clock becomes the node's within the bound, whatever it is set to and however it drifts",
        arguments: [
            ["--clock-offset", "0", "--drift", "0"], ["--clock-offset", "1790000000000000000", "--drift", "90"],
            ["--clock-offset", "123456789", "--drift", "-90"],
        ])
    func converted(_ options: [String]) async throws {
        let fake = try GEVCamera(options)
        // Nothing but the conversion is uncertain.
        let camera = try await OpenCamera(fake.camera(stamps: StampCorrection(uncertainty: .zero)))
        for frame in try await camera.frames(TestExtent.isQuick ? 20 : 120) {
            let error = (try GEVCamera.truth(frame).start + .milliseconds(2) - frame.midExposure).magnitude
            #expect(error <= frame.stampBound && frame.exposure == .milliseconds(4))
        }
        await camera.stream.stop()
    }

    @Test("Without a clock that can be read, a frame is as old as its first packet, within a frame interval more")
    func arrived() async throws {
        let fake = try GEVCamera(["--no-latch"])
        let camera = try await OpenCamera(fake.camera(stamps: StampCorrection(uncertainty: .zero)))
        for frame in try await camera.frames(5) {
            #expect(frame.stampBound >= camera.stream.format.frameInterval - .milliseconds(1))
            #expect(frame.midExposure >= (try GEVCamera.truth(frame).start))
        }
        await camera.stream.stop()
    }
}

@Suite("aravis camera: controls", .timeLimit(.minutes(10)))
struct AravisControlsTests {
    private func control(_ name: String, of stream: any CameraStream) async throws -> DeviceControl {
        try #require(try await stream.controls().first { $0.name == name }, "no \(name)")
    }

    @Test("Has the camera's features as controls, among them the state of PTP")
    func features() async throws {
        let fake = try GEVCamera()
        let camera = try await OpenCamera(fake.camera { $0.controls = ["SensorBias"] })
        let stream = camera.stream
        let exposure = try await control("exposure_time_absolute", of: stream)
        #expect(exposure.value == 40 && exposure.unit == "100 µs" && exposure.maximum == 10_000)
        let gain = try await control("gain", of: stream)
        #expect(gain.value == 6000 && gain.unit == "0.001 dB" && gain.maximum == 24_000)
        let status = try await control("ptp_status", of: stream)
        #expect(status.isReadOnly && status.menu.contains { $0.index == status.value && $0.name == "Slave" })
        let bias = try await control("sensor_bias", of: stream)
        #expect(bias.maximum == 100 && bias.step == 5)
        #expect(stream.hardware.make == "Caprig" && stream.hardware.serial == "FAKE1")
        #expect(!stream.statesFrameValues)
        await stream.stop()
    }

    @Test("Sets what it is asked to, and frames have it; an automatic mode hides what it decides")
    func changed() async throws {
        let fake = try GEVCamera()
        let camera = try await OpenCamera(fake.camera())
        let stream = camera.stream
        #expect(try await stream.setControls(["exposure_time_absolute": 80]) == ["exposure_time_absolute": 80])
        #expect(try fake.lines(1, of: "set ExposureTime").last == "set ExposureTime 8000")
        _ = try await camera.frame { $0.exposure == .milliseconds(8) }
        #expect(try await stream.setControls(["auto_exposure": 0]) == ["auto_exposure": 0])
        #expect(try await control("exposure_time_absolute", of: stream).isInactive)
        _ = try await camera.frame { $0.exposure == nil }
        let refused = await #expect(throws: CameraError.self) {
            _ = try await stream.setControls(["exposure_time_absolute": 90])
        }
        #expect(refused?.code == .unsupportedControl && refused?.reason.contains("automatic") == true)
        let both = try await stream.setControls(["auto_exposure": 1, "exposure_time_absolute": 90])
        #expect(both == ["auto_exposure": 1, "exposure_time_absolute": 90])
        await stream.stop()
    }

    @Test("A change that the camera refuses leaves everything as it was")
    func refused() async throws {
        let fake = try GEVCamera(["--refuse", "0x2050"])
        let camera = try await OpenCamera(fake.camera())
        let stream = camera.stream
        let refused = await #expect(throws: CameraError.self) {
            _ = try await stream.setControls(["exposure_time_absolute": 100, "gain": 12_000])
        }
        #expect(refused?.code == .unsupportedControl && refused?.reason.contains("gain") == true)
        #expect(try await control("exposure_time_absolute", of: stream).value == 40)
        #expect(try await control("gain", of: stream).value == 6000)
        await stream.stop()
    }

    @Test("Sets the configured features when it opens the camera, or names the one that is refused")
    func settings() async throws {
        let fake = try GEVCamera()
        let settings = [OpeningSetting(name: "Gamma", value: "0.8"), OpeningSetting(name: "Gain", value: "3")]
        #expect(await refusal(of: try fake.camera { $0.settings = settings }) == nil)
        #expect(try fake.lines(2, of: "set G").suffix(2) == ["set Gamma 0.8", "set Gain 3"])
        for (name, value, expected) in [
            ("NoSuch", "1", "NoSuch"), ("Gamma", "big", "number"), ("Gamma", "99", "Gamma"),
        ] {
            let refusal = await refusal(of: try fake.camera { $0.settings = [.init(name: name, value: value)] })
            #expect(refusal?.code == .unsupportedControl)
            #expect(refusal?.reason.contains(expected) == true, "\(String(describing: refusal))")
        }
    }
}

@Suite("aravis camera: failures", .timeLimit(.minutes(10)))
struct AravisFailureTests {
    @Test("Says how to build a helper that is missing")
    func missing() async throws {
        var configuration = AravisCameraConfiguration(serial: "1")
        configuration.helper = "no-such-program-anywhere"
        let camera = ProgramCamera(name: "front", program: configuration.program)
        let refusal = await refusal(of: camera)
        #expect(refusal?.code == .absent && refusal?.reason.contains("deploy/aravis/build") == true)
        #expect(await camera.authorization() == .notDetermined)
        #expect(await camera.authorizationRemedy()?.contains("libaravis-dev") == true)
    }

    @Test("A camera that another program controls is busy, and free when that has ended")
    func busy() async throws {
        let fake = try GEVCamera()
        let camera = try await OpenCamera(fake.camera())
        let refused = await refusal(of: try fake.camera())
        #expect(refused?.code == .busy && refused?.reason.contains("another program") == true)
        _ = try await camera.frames(2)
        await camera.stream.stop()
        #expect(await refusal(of: try fake.camera()) == nil)
    }

    @Test("A camera that is not there is absent")
    func absent() async throws {
        let address = try GEVCamera().address
        var configuration = AravisCameraConfiguration(address: address)
        configuration.helper = try Helper.path.get()
        let refusal = await refusal(of: ProgramCamera(name: "front", program: configuration.program))
        #expect(refusal?.code == .absent, "\(String(describing: refusal))")
    }

    @Test("Packets that make Aravis crash end the stream and nothing else, and the camera can be opened again")
    func crash() async throws {
        let fake = try GEVCamera()
        let camera = try await OpenCamera(fake.camera())
        _ = try await camera.frame()
        try fake.spoil(["crash"])
        let ending = await camera.ending()
        #expect(ending?.code == .failed && ending?.reason.contains("was ended by signal") == true)
        // The camera waits some seconds for the controller that it had.
        while await refusal(of: try fake.camera())?.code == .busy {}
        #expect(await refusal(of: try fake.camera()) == nil)
    }

    /// Aravis asks several times before it gives up.
    @Test(
        "A camera that dies while it streams is absent, and says so",
        arguments: ["silent"] + (TestExtent.isQuick ? [] : ["dead"]))
    func dies(_ fault: String) async throws {
        let fake = try GEVCamera()
        let camera = try await OpenCamera(fake.camera())
        _ = try await camera.frame()
        try fake.spoil([fault])
        let ending = await camera.ending()
        #expect(ending?.code == .absent, "\(String(describing: ending))")
    }
}
