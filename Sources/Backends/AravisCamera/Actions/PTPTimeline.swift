import CameraKit
import CaptureModel

/// Converts instants of this machine's clock to those of a camera's, and back, where both follow the same PTP clock. Pure.
///
/// | instant | by |
/// |---|---|
/// | `CLOCK_MONOTONIC` | |
/// | `CLOCK_REALTIME` | the reading of both clocks, which have the same rate |
/// | the camera's | a whole number of seconds, by which PTP's time is ahead of UTC. The comparison with the camera's clock tells it |
///
/// That camera and node name the same grandmaster is not believed alone: clocks that do agree within what the comparison can tell.
struct PTPTimeline: Hashable, Sendable {
    private let pair: WallClockPair<LocalTimeBase>
    /// How far the camera's clock is ahead of `CLOCK_REALTIME`, nanoseconds.
    private let lead: Int64
    /// How far the two can be apart, at the reading.
    private let error: Duration

    /// The age up to which a reading of this machine's clock is used.
    static let largestAge = Duration.seconds(10)
    /// How far a camera that follows PTP may be from its master.
    static let largestOffset = Duration.milliseconds(1)
    /// By how many seconds PTP's time can be ahead of UTC: 37 since 2017, and none where PTP has UTC.
    static let leads = Int64(0)...100
    /// How far the comparison may be off. From half a second on, it could not tell one whole second from the next, and would agree with any
    /// clock.
    static let largestError = Duration.milliseconds(250)
    /// The resolution of the clocks, and of what they are compared with.
    private static let resolution = Duration.microseconds(10)
    /// By how much the rate of this machine's clock can differ from that of PTP's: `docs/design/time.md`, Assumptions.
    private static let rateError = 5.0 / 1e6

    /// - Parameters:
    ///   - node: How this machine's clock is kept in step, as last read.
    ///   - camera: What the camera has just said.
    /// - Throws: Why the two do not follow the same clock.
    init(
        node: DisciplinedClock<LocalTimeBase>?, camera: CameraReading, now: LocalTime
    ) throws(ExposureRefusal) {
        let node = try Self.checked(node, now)
        try Self.check(camera, node.reference)
        let told = camera.offset?.magnitude ?? .zero
        let allowed = camera.error + node.bound + told + Self.resolution
        guard allowed <= Self.largestError else {
            throw Self.refusal(
                "the comparison of the camera's clock with this node's is good to \(allowed.text) only, which does not show that both follow one; is the network, or this machine, overloaded?"
            )
        }
        let ahead = camera.camera &- node.pair.realtimeNanoseconds(at: camera.monotonic)
        let seconds = Int64((Double(ahead) / 1e9).rounded())
        guard Self.leads.contains(seconds) else {
            throw Self.refusal(
                "the camera's clock is \(Duration.nanoseconds(ahead).text) ahead of this node's, which is not the difference of PTP's time and UTC; is its time that of the grandmaster?"
            )
        }
        let rest = Duration.nanoseconds(ahead - seconds * 1_000_000_000)
        guard rest.magnitude <= allowed else {
            throw Self.refusal(
                "the camera's clock is \(rest.text) from where this node's PTP clock is, and the comparison is good to \(camera.error.text); one of the two does not follow the grandmaster that it names"
            )
        }
        pair = node.pair
        lead = seconds * 1_000_000_000
        // Of a camera that does not say how far it is off, what the comparison shows is all that is known.
        error = node.bound + (camera.offset?.magnitude ?? rest.magnitude + camera.error)
    }

    /// Returns the instant of the camera's clock, nanoseconds.
    func cameraTime(at instant: LocalTime) -> Int64 { pair.realtimeNanoseconds(at: instant) &+ lead }

    /// Returns the instant of this machine's clock.
    func localTime(atCamera nanoseconds: Int64) -> LocalTime {
        pair.instant(atRealtimeNanoseconds: nanoseconds &- lead)
    }

    /// Returns the largest error of a conversion at an instant of this machine's clock.
    func bound(at instant: LocalTime) -> Duration {
        let distance = Double((instant - pair.monotonic).magnitude.nanoseconds)
        return error + .nanoseconds(Int64(min(distance * Self.rateError, 1e18).rounded(.up)))
    }

    private static func checked(
        _ node: DisciplinedClock<LocalTimeBase>?, _ now: LocalTime
    ) throws(ExposureRefusal) -> DisciplinedClock<LocalTimeBase> {
        guard let node else {
            throw refusal(
                "nothing says that this node's clock follows PTP; set `clock.discipline: true`, and let ptp4l, or ptp4l and phc2sys, keep it"
            )
        }
        guard node.reference.source == .ptp else {
            throw refusal("this node's clock follows NTP, not PTP; let ptp4l, or ptp4l and phc2sys, keep it")
        }
        let age = now - node.pair.monotonic
        guard age <= largestAge else {
            throw refusal("what is known of this node's PTP clock is \(age.text) old; does ptp4l run?")
        }
        return node
    }

    private static func check(_ camera: CameraReading, _ reference: ClockReference) throws(ExposureRefusal) {
        guard let status = camera.status else {
            throw refusal("the camera does not tell whether it follows PTP; it has no PtpStatus")
        }
        guard ["Slave", "Master"].contains(status) else {
            throw refusal(
                "the camera does not follow PTP: its PtpStatus is \(status); wait some seconds, and check that PTP's messages reach it"
            )
        }
        guard let theirs = camera.grandmaster else {
            throw refusal("the camera does not tell which grandmaster it follows; it has no PtpGrandmasterClockID")
        }
        let name = [UInt8](theirs).hexadecimal
        guard let ours = ClockIdentity(reference.identity)?.number, ours == theirs else {
            throw refusal(
                "the camera follows the PTP grandmaster \(name), and this node \(reference.identity); let both follow one"
            )
        }
        guard let offset = camera.offset, offset.magnitude > largestOffset else { return }
        throw refusal("the camera's clock is \(offset.text) from its master; wait until it has settled")
    }

    private static func refusal(_ reason: String) -> ExposureRefusal { ExposureRefusal(.clock, reason) }
}

/// The identity of a PTP clock, as linuxptp writes it: `7acc9b.fffe.1234ab`.
private struct ClockIdentity {
    let number: UInt64

    init?(_ text: String) {
        let digits = text.filter { $0 != "." }
        guard digits.utf8.count == 16, let number = UInt64(digits, radix: 16) else { return nil }
        self.number = number
    }
}

extension [UInt8] {
    /// The bytes of a number, the highest first.
    fileprivate init(_ number: UInt64) {
        self = (0..<8).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }
}
