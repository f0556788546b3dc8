import CameraKit
import CaptureModel
import Video4Linux

@testable import V4L2Camera

/// What a driver says of a frame: where its bytes lie, which number and which stamp it has.
enum V4L2FrameFuzz {
    static func run(_ bytes: [UInt8]) throws {
        var input = FuzzInput(bytes)
        try payload(&input)
        stamp(&input)
        try sequence(&input)
        try clock(&input)
    }

    private static func payload(_ input: inout FuzzInput) throws {
        let format = input.pick(PixelFormat.allCases)
        let count = 1 + Int(input.number(UInt8.self) % 3)
        let layout = PixelLayout(
            format: FourCC(format.rawValue), width: input.number(), height: input.number(),
            planes: (0..<count).map { _ in PixelLayout.Plane(bytesPerRow: input.number(), byteCount: input.number()) })
        let filled = (0..<Int(input.number(UInt8.self) % 4)).map { _ in
            FilledPlane(offset: Int(input.number(UInt32.self)), end: Int(input.number(UInt32.self)))
        }
        let capacities = filled.map { _ in Int(input.number(UInt32.self)) }
        switch BufferPayload(format.family.structure, layout, filled: filled, capacities: capacities) {
        case .whole(let offset, let count):
            try FuzzFinding.unless(
                offset >= 0 && count > 0 && offset + count <= capacities[0], "a frame lies outside of its buffer")
        case .scattered(let parts):
            for part in parts {
                let capacity = part.memoryPlane < capacities.count ? capacities[part.memoryPlane] : 0
                try FuzzFinding.unless(
                    part.end.map { $0 <= capacity } ?? false, "a plane lies outside of its buffer: \(part)")
            }
        case .incomplete: break
        }
    }

    private static func stamp(_ input: inout FuzzInput) {
        let buffer = FilledBuffer(
            index: 0, planes: [], sequence: 0, stampNanoseconds: input.number(),
            stampClock: FilledBuffer.StampClock(flags: input.number()),
            stampSource: FilledBuffer.StampSource(flags: input.number()))
        let correction = StampCorrection(
            latencyOffset: .nanoseconds(input.number(Int64.self)), readout: .nanoseconds(input.number(Int64.self)))
        let rule = StampRule(correction: correction, frameInterval: .nanoseconds(Int64(input.number(UInt32.self))))
        let exposure = Duration.nanoseconds(input.number(Int64.self))
        let dequeued = LocalTime(nanoseconds: input.number())
        var stamps = MonotonicStamps(rule, start: LocalTime(nanoseconds: input.number()))
        for _ in 0..<2 {
            _ = stamps.stamp(
                buffer, skipped: input.number(), exposure: exposure,
                arrival: Arrival(instant: dequeued, delay: .nanoseconds(input.number(Int64.self))))
        }
    }

    /// The headers of a USB camera's payloads.
    private static func clock(_ input: inout FuzzInput) throws {
        let dequeued = LocalTime(nanoseconds: input.number())
        var clock = UVCClock(frameInterval: .nanoseconds(Int64(input.number(UInt32.self))))
        var stamps = UVCFrameHeaders()
        for place in 0..<64 where !input.isEmpty {
            let headers = UVCPayloadHeader.all(in: input.block())
            stamps.add(headers, of: input.number())
            let instant = dequeued + .milliseconds(33 * place)
            for header in headers {
                try FuzzFinding.unless(header.reading.map { $0.usbFrame < 2048 } ?? true, "a number has 12 bits")
            }
            guard let reading = clock.read(stamps.remove(of: input.number()), dequeued: instant) else { continue }
            try FuzzFinding.unless(reading.doubt > .zero, "a frame is placed without doubt")
        }
    }

    private static func sequence(_ input: inout FuzzInput) throws {
        var (widener, last) = (SequenceWidener(), UInt64(0))
        for place in 0..<16 where !input.isEmpty {
            let step = widener.step(to: input.number())
            try FuzzFinding.unless(
                place == 0 || step.sequence == last + step.skipped + 1, "frame numbers do not rise: \(step)")
            last = step.sequence
        }
    }
}
