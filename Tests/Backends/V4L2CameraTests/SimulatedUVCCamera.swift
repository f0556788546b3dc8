import CaptureModel
import CaptureTestSupport

@testable import V4L2Camera

/// A USB camera with a clock, and a host that numbers USB frames. Instants are nanoseconds of the host's clock.
struct SimulatedUVCCamera {
    /// Of the camera's clock, in Hz.
    var frequency = 48_000_000.0
    /// After which the clock wraps.
    var bits = 32
    /// What the clock shows at the start.
    var firstTicks: UInt64 = 0
    /// From frame to frame.
    var interval: Int64 = 33_366_700
    /// From the beginning of a frame to its first payload.
    var latency: Int64 = 24_000_000
    /// From a payload to its processing by the driver.
    var transport: ClosedRange<Int64> = 400_000...3_000_000
    /// The place of the first USB frame.
    var phase: Int64 = 300_000
    /// What the host controller keeps of the number.
    var hostBits: UInt16 = 0x7ff

    /// A frame, as the driver delivers it.
    struct Frame {
        /// When the camera began to capture it.
        var captured: LocalTime
        var headers: [UVCPayloadHeader]
        var dequeued: LocalTime
    }

    static let start: Int64 = 100_000_000_000
    private var random = SeededGenerator(seed: 7)

    init() {}

    mutating func frame(_ number: Int) -> Frame {
        let captured = Self.start + Int64(number) * interval
        var headers: [UVCPayloadHeader] = []
        for payload in 0..<3 {
            let sent = captured + latency + Int64(payload) * 4_000_000
            let arrival = sent + Int64.random(in: transport, using: &random)
            headers.append(
                UVCPayloadHeader(
                    arrival: LocalTime(nanoseconds: arrival), usbFrame: usbFrame(at: arrival) & hostBits,
                    captureTicks: ticks(at: captured),
                    reading: .init(ticks: ticks(at: sent), usbFrame: usbFrame(at: sent) & 0x7ff)))
        }
        return Frame(
            captured: LocalTime(nanoseconds: captured), headers: headers,
            dequeued: LocalTime(nanoseconds: captured + latency + 20_000_000))
    }

    private func ticks(at instant: Int64) -> UInt32 {
        let passed = UInt64(Double(instant - Self.start) * frequency / 1e9)
        return UInt32(truncatingIfNeeded: (firstTicks &+ passed) & (1 << UInt64(bits) - 1))
    }

    private func usbFrame(at instant: Int64) -> UInt16 {
        UInt16(truncatingIfNeeded: (instant - phase) / 1_000_000)
    }
}

/// A run of a camera's frames through a clock.
struct UVCClockRun {
    var clock: UVCClock
    /// Frames that were placed.
    private(set) var placed = 0
    /// Their numbers that were placed beyond their doubt.
    private(set) var wrong: [Int] = []
    private(set) var mostDoubt = Duration.zero
    private(set) var farthest = Duration.zero

    init(_ camera: SimulatedUVCCamera) {
        clock = UVCClock(frameInterval: .nanoseconds(camera.interval))
    }

    /// - Parameter change: What is wrong with the frames.
    mutating func run(
        _ camera: inout SimulatedUVCCamera, _ numbers: Range<Int>,
        _ change: (_ headers: inout [UVCPayloadHeader], _ number: Int) -> Void = { _, _ in }
    ) {
        for number in numbers {
            let frame = camera.frame(number)
            var headers = frame.headers
            change(&headers, number)
            guard let reading = clock.read(headers, dequeued: frame.dequeued) else { continue }
            placed += 1
            let error = (reading.instant - frame.captured).magnitude
            if error > reading.doubt { wrong.append(number) }
            (mostDoubt, farthest) = (max(mostDoubt, reading.doubt), max(farthest, error))
        }
    }
}
