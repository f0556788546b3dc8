import CameraKit
import CaptureModel
import CaptureTestSupport
import ProgramCamera
import SystemClock
import Testing

@testable import AravisCamera

/// A camera that exposes at given instants: `gev_camera.py`, whose clock is that of PTP, with the helper program as it is delivered.
private struct ScheduledCamera {
    let fake: GEVCamera
    let stream: any CameraStream
    let exposures: any ScheduledExposures

    /// How long an exposure of `gev_camera.py` is, unless an option says otherwise.
    static let exposure = Duration.milliseconds(4)

    init(_ options: [String] = []) async throws {
        fake = try GEVCamera(["--actions"] + options)
        // Nothing but the clocks is uncertain.
        let camera = try fake.camera(stamps: StampCorrection(uncertainty: .zero)) { $0.exposure = .scheduled }
        stream = try await camera.start(FormatRequest(), clock: SystemTimeSource())
        exposures = try #require(stream.exposures)
    }

    /// This machine's clock, which follows the grandmaster of the camera.
    static var node: DisciplinedClock<LocalTimeBase> {
        DisciplinedClock(
            reference: ClockReference(source: .ptp, identity: "7acc9b.fffe.1234ab"), bound: .microseconds(5),
            pair: SystemTimeSource().wallClockPair())
    }

    /// Arms an exposure so far ahead as a slow machine needs, and so far behind an earlier one as the camera needs.
    func armed(
        lead shortest: Duration? = nil, after earlier: LocalTime? = nil
    ) async throws -> (instant: LocalTime, exposure: ArmedExposure) {
        var lead = shortest ?? exposures.lag
        while true {
            let soon = SystemTimeSource().now() + lead
            let instant = max(soon, earlier.map { $0 + .milliseconds(50) } ?? soon)
            do throws(ExposureRefusal) {
                return (instant, try await exposures.arm(at: instant, following: Self.node))
            } catch {
                guard error.cause == .tooSoon || Self.isSlow(error), lead < .seconds(60) else { throw error }
                lead = lead * 2
            }
        }
    }

    /// Arms exposures until a frame of one has come: a busy machine loses packets.
    ///
    /// - Parameters:
    ///   - lead: How far ahead at least.
    ///   - earlier: After which the exposure is.
    func exposed(
        lead: Duration? = nil, after earlier: LocalTime? = nil
    ) async throws -> (instant: LocalTime, frame: CameraFrame) {
        var earlier = earlier
        while true {
            let (instant, armed) = try await armed(lead: lead, after: earlier)
            do throws(ExposureRefusal) {
                return (instant, try await exposures.frame(of: armed))
            } catch {
                guard error.reason.contains("frame has not come within") else { throw error }
                earlier = instant
            }
        }
    }

    /// Why an exposure is not armed that is farther ahead than a slow machine needs; nil if it is.
    func refusal() async -> ExposureRefusal? {
        while true {
            do throws(ExposureRefusal) {
                _ = try await exposures.arm(at: SystemTimeSource().now() + Self.farAhead, following: Self.node)
                return nil
            } catch {
                guard Self.isSlow(error) else { return error }
            }
        }
    }

    /// Whether an exposure was refused only because the machine is slow.
    private static func isSlow(_ refusal: ExposureRefusal) -> Bool {
        ["not acknowledged", "not read within", "this machine, overloaded"].contains { refusal.reason.contains($0) }
    }

    static let farAhead = Duration.seconds(20)

    /// Why an exposure has no frame; nil if it has.
    func refusal(of exposure: ArmedExposure) async -> ExposureRefusal? {
        do throws(ExposureRefusal) {
            _ = try await exposures.frame(of: exposure)
            return nil
        } catch {
            return error
        }
    }

    /// The packets of actions that have reached the camera.
    func packets(_ count: Int = 0) throws -> [String] {
        try fake.lines(count, of: "action").map { String($0.dropFirst("action ".count)) }
    }
}

@Suite("aravis camera: exposures at given instants", .timeLimit(.minutes(10)))
struct AravisActionTests {
    @Test(
        "The middle of the exposure is within 10 µs of the instant, by the camera's own truth, and its stamp within its bound",
        arguments: [[], ["--exposure", "12345.5", "--utc-lead", "0"]])
    func exact(_ options: [String]) async throws {
        let camera = try await ScheduledCamera(options)
        let exposure = options.isEmpty ? ScheduledCamera.exposure : .nanoseconds(12_345_500)
        for _ in 0..<(TestExtent.isQuick ? 2 : 10) {
            let (instant, frame) = try await camera.exposed()
            let middle = try GEVCamera.truth(frame).start + exposure / 2
            #expect((middle - instant).magnitude <= .microseconds(10))
            #expect((middle - frame.midExposure).magnitude <= frame.stampBound)
            #expect(frame.stampBound <= .milliseconds(1) && frame.exposure == exposure && GEVCamera.isWhole(frame))
        }
        await camera.stream.stop()
    }

    @Test("The packets are those of GigE Vision, and one whose answer is lost is repeated as it was")
    func packets() async throws {
        let camera = try await ScheduledCamera(["--lose-actions", "1", "--lose-answers", "1"])
        let (_, frame) = try await camera.exposed(lead: .seconds(3))
        let packets = try camera.packets(3)
        let repeats = Dictionary(grouping: packets, by: \.self).values.map(\.count)
        #expect((repeats.max() ?? 0) >= 2, "\(packets)")
        // Each command exposes once, however often it comes.
        #expect(try GEVCamera.truth(frame).number < UInt64(Set(packets).count))
        for packet in packets {
            // Key, flags, command, length; request; device key, group key, mask; time.
            #expect(packet.count == 56 && packet.hasPrefix("428101000014"))
            #expect(packet.dropFirst(16).hasPrefix("436170720000000100000001"))
        }
        await camera.stream.stop()
    }

    /// How a camera is off the PTP clock of its node, and what is said of that. `PTPTimelineTests` has all of them too.
    private static let offClocks: [([String], String)] = [
        (["--ptp", "4"], "PtpStatus is Listening"), (["--grandmaster", "0011223344556677"], "0011223344556677"),
        (["--clock-error", "400000000"], "from where this node's PTP clock is"),
        (["--utc-lead", "-100000"], "not the difference of PTP's time and UTC"),
        (["--ptp-offset", "5000000"], "from its master"),
    ]

    @Test(
        "A camera off the PTP clock, or on that of another grandmaster, is refused with the reason, and is sent nothing",
        arguments: TestExtent.isQuick ? Array(offClocks.prefix(3)) : offClocks)
    func offClock(_ options: [String], _ expected: String) async throws {
        let camera = try await ScheduledCamera(options)
        let refusal = await camera.refusal()
        #expect(refusal?.cause == .clock)
        #expect(refusal?.reason.contains(expected) == true, "\(String(describing: refusal))")
        await camera.stream.stop()
        // What the camera has done before that is known by it.
        _ = try camera.fake.lines(1, of: "stopped")
        #expect(try camera.packets().isEmpty)
    }

    @Test("A node that follows nothing is refused, and so is a camera whose exposure is automatic")
    func unknown() async throws {
        let camera = try await ScheduledCamera()
        let refused = await #expect(throws: ExposureRefusal.self) {
            _ = try await camera.exposures.arm(at: SystemTimeSource().now() + ScheduledCamera.farAhead, following: nil)
        }
        #expect(refused?.cause == .clock && refused?.reason.contains("clock.discipline") == true)
        await camera.stream.stop()
        let other = try camera.fake.camera {
            $0.exposure = .scheduled
            $0.settings = [.init(name: "ExposureAuto", value: "Continuous")]
        }
        let stream = try await other.start(FormatRequest(), clock: SystemTimeSource())
        let exposures = try #require(stream.exposures)
        let automatic = await #expect(throws: ExposureRefusal.self) {
            _ = try await exposures.arm(
                at: SystemTimeSource().now() + ScheduledCamera.farAhead, following: ScheduledCamera.node)
        }
        #expect(automatic?.reason.contains("automatic") == true, "\(String(describing: automatic))")
        await stream.stop()
    }

    /// What a camera answers, and what that is. `ActionMachineTests` has all of them too.
    private static let statuses: [(String, ExposureRefusal.Cause, String)] = [
        ("0x8013", .clock, "NO_REF_TIME"), ("0x8015", .conflict, "OVERFLOW"), ("0x8016", .tooSoon, "ACTION_LATE"),
        ("0x8001", .camera, "0x8001"),
    ]

    @Test(
        "What the camera answers decides whether it is armed",
        arguments: TestExtent.isQuick ? Array(statuses.prefix(1)) : statuses)
    func answers(_ status: String, _ cause: ExposureRefusal.Cause, _ text: String) async throws {
        let camera = try await ScheduledCamera(["--answer", status])
        let refusal = await camera.refusal()
        #expect(refusal?.cause == cause && refusal?.reason.contains(text) == true, "\(String(describing: refusal))")
        await camera.stream.stop()
    }

    @Test("A camera that acknowledges and exposes nothing has no frame, and says so")
    func nothing() async throws {
        let camera = try await ScheduledCamera(["--no-exposure"])
        let (_, armed) = try await camera.armed()
        let refusal = await camera.refusal(of: armed)
        #expect(refusal?.reason.contains("has not come") == true, "\(String(describing: refusal))")
        await camera.stream.stop()
    }

    @Test(
        "A frame whose stamp is not that of its action is not the picture, and is counted",
        arguments: ["--stamp-shift", "--action-shift"])
    func shifted(_ option: String) async throws {
        let camera = try await ScheduledCamera([option, "5000000"])
        let (_, armed) = try await camera.armed()
        let refusal = await camera.refusal(of: armed)
        #expect(refusal?.reason.contains("stamp 5.0 ms after") == true, "\(String(describing: refusal))")
        #expect(camera.stream.losses.droppedByNode >= 1)
        await camera.stream.stop()
    }

    @Test("The frame of an exposure that was given up is dropped and counted, and the next one is delivered")
    func disarmed() async throws {
        let camera = try await ScheduledCamera()
        let (first, given) = try await camera.armed()
        camera.exposures.disarm(given)
        let (second, frame) = try await camera.exposed(after: first)
        #expect((frame.midExposure - second).magnitude <= .microseconds(100))
        #expect(camera.stream.losses.droppedByNode >= 1)
        #expect(await camera.refusal(of: given)?.reason.contains("given up") == true)
        await camera.stream.stop()
    }

    @Test("Its controls can be read, and are set only when it is opened")
    func controls() async throws {
        let camera = try await ScheduledCamera()
        let controls = try await camera.stream.controls()
        #expect(controls.contains { $0.name == "exposure_time_absolute" } && controls.allSatisfy(\.isReadOnly))
        let refused = await #expect(throws: CameraError.self) {
            _ = try await camera.stream.setControls(["exposure_time_absolute": 80])
        }
        #expect(refused?.code == .unsupportedControl && refused?.reason.contains("`settings`") == true)
        #expect(!camera.stream.hasFrames && camera.stream.format.pixelFormat.rawValue == "GREY")
        await camera.stream.stop()
    }

    @Test(
        "A camera without what this needs is not opened, and says what it lacks",
        arguments: [["--actions", "--without", "0x20000"], []])
    func unable(_ options: [String]) async throws {
        let fake = try GEVCamera(options)
        let camera = try fake.camera { $0.exposure = .scheduled }
        let refused = await #expect(throws: CameraError.self) {
            _ = try await camera.start(FormatRequest(), clock: SystemTimeSource())
        }
        #expect(refused?.code == .unsupportedControl)
        let reason = try #require(refused?.reason)
        #expect(reason.contains("no scheduled action commands"), "\(reason)")
    }

    @Test("When the stream ends, everybody who waits for an exposure gets the reason")
    func ended() async throws {
        let camera = try await ScheduledCamera(["--no-exposure"])
        let (_, armed) = try await camera.armed()
        async let refusal = camera.refusal(of: armed)
        await camera.stream.stop()
        let reason = await refusal?.reason
        #expect(reason != nil)
        #expect(await camera.refusal()?.reason.contains("has ended") == true)
    }
}
