import CameraKit
import CaptureModel
import Testing

@testable import AravisCamera

@Suite("aravis camera: the clock of PTP")
struct PTPTimelineTests {
    /// Why a camera and a node do not follow the same clock; nil if they do.
    private func refusal(_ node: DisciplinedClock<LocalTimeBase>?, _ camera: CameraReading?) throws -> String? {
        let camera = try #require(camera)
        do throws(ExposureRefusal) {
            _ = try PTPTimeline(node: node, camera: camera, now: PTPSample.now)
            return nil
        } catch {
            #expect(error.cause == .clock)
            return error.reason
        }
    }

    @Test("Converts instants to the camera's clock and back, whatever PTP's time is ahead of UTC", arguments: [0, 37])
    func converted(_ lead: Int64) throws {
        let camera = try #require(PTPSample.camera(lead: lead, ahead: .microseconds(20)))
        let timeline = try PTPTimeline(node: PTPSample.node, camera: camera, now: PTPSample.now)
        let instant = PTPSample.now + .seconds(3)
        let expected = PTPSample.realtime + 4_000_000_000 + lead * 1_000_000_000
        #expect(timeline.cameraTime(at: instant) == expected)
        #expect(timeline.localTime(atCamera: expected) == instant)
    }

    @Test("The bound has what node and camera say of their errors, and grows with the time since")
    func bound() throws {
        let told = try #require(PTPSample.camera(offset: "-300"))
        let timeline = try PTPTimeline(node: PTPSample.node, camera: told, now: PTPSample.now)
        // 2 µs of the node, 300 ns of the camera, and 5 ppm of a second since the reading.
        #expect(timeline.bound(at: PTPSample.now) == .nanoseconds(2000 + 300 + 5000))
        let untold = try #require(PTPSample.camera(offset: "-", ahead: .microseconds(20)))
        let wider = try PTPTimeline(node: PTPSample.node, camera: untold, now: PTPSample.now)
        // Instead of what the camera says: 20 µs that the comparison shows, and its error of 50 µs.
        #expect(wider.bound(at: PTPSample.now) == .nanoseconds(2000 + 70_000 + 5000))
    }

    @Test("Refuses a node of which nothing says that it follows PTP, or only an old reading")
    func node() throws {
        #expect(try refusal(nil, PTPSample.camera())?.contains("clock.discipline") == true)
        var other = PTPSample.node
        other.reference = ClockReference(source: .ntp, identity: "utc")
        #expect(try refusal(other, PTPSample.camera())?.contains("NTP") == true)
        var old = PTPSample.node
        old.pair = WallClockPair(
            monotonic: PTPSample.now - .seconds(11), realtimeNanoseconds: PTPSample.realtime - 10_000_000_000)
        #expect(try refusal(old, PTPSample.camera())?.contains("11 s old") == true)
    }

    @Test("Refuses a camera off the PTP clock, or on that of another grandmaster, with the reason")
    func camera() throws {
        let node = PTPSample.node
        #expect(try refusal(node, PTPSample.camera()) == nil)
        #expect(try refusal(node, PTPSample.camera(status: "Master")) == nil)
        for (camera, expected) in [
            (PTPSample.camera(status: "Listening"), "PtpStatus is Listening"),
            (PTPSample.camera(status: "-"), "no PtpStatus"),
            (PTPSample.camera(grandmaster: "-"), "no PtpGrandmasterClockID"),
            (PTPSample.camera(grandmaster: "0011223344556677"), "grandmaster 0011223344556677, and this node 7acc9b"),
            (PTPSample.camera(offset: "1000001"), "from its master"),
            (PTPSample.camera(lead: 101), "not the difference of PTP's time and UTC"),
            (PTPSample.camera(lead: -1), "not the difference of PTP's time and UTC"),
            (PTPSample.camera(ahead: .microseconds(63)), "from where this node's PTP clock is"),
            (PTPSample.camera(ahead: .microseconds(-63)), "from where this node's PTP clock is"),
        ] {
            let reason = try refusal(node, camera)
            #expect(reason?.contains(expected) == true, "\(reason ?? "accepted") instead of \(expected)")
        }
        // What the comparison cannot tell is not held against the camera: 50 µs, 2 µs of the node, 10 µs of resolution.
        #expect(try refusal(node, PTPSample.camera(ahead: .microseconds(62))) == nil)
    }

    @Test("Refuses a comparison so coarse that it would agree with a clock which is a second off")
    func coarse() throws {
        // The next whole second is nearer to what was read than the true one.
        var camera = try #require(PTPSample.camera(ahead: .milliseconds(600)))
        camera.error = .milliseconds(600)
        #expect(try refusal(PTPSample.node, camera)?.contains("good to 600.0 ms only") == true)
        // It may be as good as 250 ms, with the 2 µs of the node and the 10 µs of resolution.
        camera = try #require(PTPSample.camera(ahead: .milliseconds(200)))
        camera.error = .milliseconds(250) - .microseconds(12)
        #expect(try refusal(PTPSample.node, camera) == nil)
        camera.error += .nanoseconds(1)
        #expect(try refusal(PTPSample.node, camera) != nil)
    }

    @Test(
        "A line of the helper that is damaged is not read",
        arguments: [
            "Slave 7acc9bfffe1234ab 0 1 2 3", "Slave 7acc9bfffe1234ab 0 -1 2 3 4", "Slave 7acc9bfffe1234ab 0 1 2 -3 4",
            "Slave 7acc9b 0 1 2 3 4", "Slave 7acc9bfffe1234ab x 1 2 3 4", "Slave 7acc9bfffe1234ab 0 1 2 3 0",
            "Slave 7acc9bfffe1234ab 0 1 2 3 4 5", "",
        ])
    func damaged(_ line: String) {
        #expect(CameraReading(line.split(separator: " ")) == nil)
    }
}

/// A node and a camera on one PTP clock. The camera is read a second after the node.
enum PTPSample {
    static let now = LocalTime(nanoseconds: 6_000_000_000)
    /// `CLOCK_REALTIME` a second before ``now``.
    static let realtime: Int64 = 1_800_000_000_000_000_000

    static var node: DisciplinedClock<LocalTimeBase> {
        DisciplinedClock(
            reference: ClockReference(source: .ptp, identity: "7acc9b.fffe.1234ab"), bound: .microseconds(2),
            pair: WallClockPair(monotonic: now - .seconds(1), realtimeNanoseconds: realtime))
    }

    /// - Parameters:
    ///   - lead: Seconds by which PTP's time is ahead of UTC.
    ///   - ahead: By how much the comparison shows its clock ahead of that; it is good to 50 µs.
    static func camera(
        status: String = "Slave", grandmaster: String = "7acc9bfffe1234ab", offset: String = "0", lead: Int64 = 37,
        ahead: Duration = .zero, exposure: String = "4000000"
    ) -> CameraReading? {
        let clock = realtime + 1_000_000_000 + lead * 1_000_000_000 + ahead.nanoseconds
        let line = "\(status) \(grandmaster) \(offset) \(clock) \(now.nanoseconds) 50000 \(exposure)"
        return CameraReading(line.split(separator: " "))
    }
}
