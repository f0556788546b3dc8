import CameraKit
import CaptureModel
import CaptureTestSupport
import RigConfiguration
import Testing

@testable import CommandCamera
@testable import ProgramCamera

@Suite("Command camera: times", .timeLimit(.minutes(10)))
struct FrameTimesTests {
    @Test("Reads lines, with what is unknown")
    func lines() throws {
        var times = FrameTimes()
        for line in ["3 1000 8000000 2", "5 2000 - -", "6 3000 - - 250", "7 4000 - - 250 1800000000000000001"] {
            try times.add(line: line)
        }
        let first = FrameTime(sequence: 3, start: LocalTime(nanoseconds: 1000), exposure: .milliseconds(8), gain: 2)
        #expect(times.next() == first)
        #expect(times.next() == FrameTime(sequence: 5, start: LocalTime(nanoseconds: 2000), exposure: nil, gain: nil))
        let third = times.next()
        #expect(third?.bound == .nanoseconds(250) && third?.cameraStart == nil)
        #expect(times.next()?.cameraStart == 1_800_000_000_000_000_001)
        #expect(times.next() == nil)
    }

    @Test(
        "Refuses what is not a line, and what goes back",
        arguments: [
            ["1 2 3"], ["1 2 3 4 5 6 7"], ["1 2 3 4 5 -6"], ["1 2 3 4 - 6"],
            ["1 2 3 4 -"], ["1 2 3 4 -5"], ["-1 2 3 4"], ["1 -2 3 4"], ["1 2 0 4"],
            ["1 2 3 -4"], ["1 x 3 4"], [""],
            ["1 10 3 4", "1 20 3 4"], ["1 10 3 4", "2 10 3 4"],
        ])
    func wrong(lines: [String]) {
        var times = FrameTimes()
        #expect(throws: ProgramLines.Mismatch.self) { for line in lines { try times.add(line: line) } }
    }

    @Test("Colors that are told hold for the pictures after them, until others are told")
    func colors() throws {
        var times = FrameTimes()
        try times.add(line: "1 1000 - -")
        #expect(try times.add(color: "color 64 2,1.6 1,0,0,0,1,0,0,0,1"))
        for line in ["2 2000 - -", "3 3000 - -"] { try times.add(line: line) }
        #expect(try times.add(color: "color - - -"))
        try times.add(line: "4 4000 - -")
        #expect(try !times.add(color: "5 5000 - -"))
        #expect(times.next()?.color == nil)
        let told = SensorColor(
            blackLevel: 64, gains: .init(red: 2, blue: 1.6), correction: [1, 0, 0, 0, 1, 0, 0, 0, 1])
        let (second, third, fourth) = (times.next(), times.next(), times.next())
        #expect(second?.color == told && third?.color == told && told != nil)
        #expect(fourth?.color == SensorColor() && fourth?.color != nil && times.next() == nil)
    }

    @Test(
        "Refuses colors that are not a line, or that no camera has",
        arguments: [
            "color", "color 64 2,1.6", "color 64 2,1.6 - -", "color  64 2,1.6 -", "color 65536 - -", "color -1 - -",
            "color 1.5 - -", "color x - -", "color 64 2 -", "color 64 2,1.6,1 -", "color 64 2,,1.6 -", "color - 0,1 -",
            "color - 2,-1 -", "color - nan,1 -", "color - 1,1000 -", "color - - 1,0,0,0,1,0,0,0",
            "color - - 1,0,0,0,1,0,0,0,0", "color - - 1,0,0,0,1,0,0,0,17", "color - - 1,0,0,0,1,0,0,0,inf",
        ])
    func wrongColors(line: String) {
        var times = FrameTimes()
        #expect(throws: ProgramLines.Mismatch.self) { _ = try times.add(color: line) }
    }

    @Test("Keeps a bounded number of lines")
    func bounded() throws {
        var times = FrameTimes()
        for number in 1...FrameTimes.largestLead { try times.add(line: "\(number) \(number) - -") }
        #expect(throws: ProgramLines.Mismatch.self) { try times.add(line: "1000 1000 - -") }
    }

    @Test("Stamps pictures with the middle of the exposure that the program tells, and counts what the camera lost")
    func told() async throws {
        let bench = try CommandBench()
        let (frames, stream) = try await bench.run(
            bench.python(
                """
                start = time.monotonic_ns() - 100_000_000
                for number in (0, 1, 4): write(number, start + number * 20_000_000)
                line(f'9 {start + 180_000_000} - -')
                """))
        #expect(frames.map(\.sequence) == [0, 1, 4] && stream.losses.droppedByDevice == 2)
        #expect(frames.allSatisfy { $0.exposure == .milliseconds(4) && $0.gain == 2 })
        let middles = frames.map { $0.midExposure - frames[0].midExposure }
        #expect(middles == [.zero, .milliseconds(20), .milliseconds(80)])
        #expect(stream.statesFrameValues)
    }

    @Test("Refuses times of another clock, pictures without times, and times that can belong to other pictures")
    func mismatched() async throws {
        let bench = try CommandBench()
        let wall = await bench.failure(bench.python("write(0, time.time_ns()); time.sleep(1000)"))
        #expect(wall?.reason.contains("CLOCK_MONOTONIC") == true, "\(String(describing: wall))")
        let without = await bench.failure(bench.python("while True: sys.stdout.buffer.write(picture)"))
        #expect(without?.reason.contains("without their times") == true)
        let torn = await bench.failure(
            bench.python(
                """
                write(0, time.monotonic_ns() - 10_000_000)
                line(f'1 {time.monotonic_ns()} - -')
                sys.stdout.buffer.write(picture[:-40] + picture)
                """))
        #expect(torn?.reason.contains("torn") == true)
        let noise = await bench.failure(bench.python("line('hello'); time.sleep(1000)"))
        #expect(noise?.reason.contains("sequence monotonic_ns") == true)
    }
}

@Suite("Command camera: stamps")
struct ProgramStampsTests {
    private let start = LocalTime(nanoseconds: 1_000_000_000_000)
    private let second = Duration.seconds(1)

    private func stamps(_ correction: StampCorrection = StampCorrection()) -> ProgramStamps {
        ProgramStamps(correction, largestLatency: second, interval: .milliseconds(20), start: start)
    }

    @Test("Covers everything from the largest latency to the arrival until the latency is measured")
    func unknown() {
        var stamps = stamps()
        let stamp = stamps.stamp(of: Arrival(instant: start + .seconds(5), delay: .milliseconds(10)))
        #expect(stamp.midExposure - stamp.bound <= start + .seconds(4) - .milliseconds(10))
        #expect(stamp.midExposure + stamp.bound >= start + .seconds(5))
        var offset = self.stamps(StampCorrection(latencyOffset: .milliseconds(-200)))
        let shifted = offset.stamp(of: Arrival(instant: start + .seconds(5), delay: .zero))
        #expect(shifted.midExposure == start + .seconds(5) - .milliseconds(200))
        #expect(shifted.bound == .milliseconds(800) && !shifted.isCorrected)
    }

    @Test("Subtracts a measured latency, with its uncertainty and half of the time in the pipe")
    func measured() {
        var stamps = stamps(StampCorrection(latencyOffset: .milliseconds(-70), uncertainty: .milliseconds(2)))
        let stamp = stamps.stamp(of: Arrival(instant: start + .seconds(5), delay: .milliseconds(6)))
        #expect(stamp.midExposure == start + .seconds(5) - .milliseconds(73))
        #expect(stamp.bound == .milliseconds(5) && stamp.isCorrected)
    }

    @Test("Rises from picture to picture, with a bound that is as much wider")
    func rising() {
        var stamps = stamps(StampCorrection(uncertainty: .milliseconds(1)))
        let first = stamps.stamp(of: Arrival(instant: start + .seconds(5), delay: .zero))
        let second = stamps.stamp(of: Arrival(instant: start + .seconds(5), delay: .milliseconds(10)))
        #expect(second.midExposure == first.midExposure + .nanoseconds(1))
        #expect(second.midExposure - second.bound == start + .seconds(5) - .milliseconds(11))
    }

    @Test("Takes a told start for the truth, within a frame's limit until that is measured")
    func told() throws {
        let time = FrameTime(sequence: 1, start: start + .seconds(4), exposure: .milliseconds(10), gain: nil)
        let arrival = Arrival(instant: start + .seconds(4) + .milliseconds(60), delay: .zero)
        var plain = stamps()
        let told = plain.stamp(of: time, skipped: 0, arrival: arrival)
        let stamp = try #require(told)
        #expect(stamp.midExposure == start + .seconds(4) + .milliseconds(5))
        #expect(stamp.bound >= .milliseconds(20) && !stamp.isCorrected)
        var measured = stamps(StampCorrection(latencyOffset: .milliseconds(-1), uncertainty: .microseconds(500)))
        let known = measured.stamp(of: time, skipped: 0, arrival: arrival)
        let exact = try #require(known)
        #expect(exact.bound == .microseconds(500) && exact.isCorrected)
        var converted = time
        (converted.start, converted.bound) = (time.start + .milliseconds(20), .microseconds(80))
        let wider = measured.stamp(of: converted, skipped: 0, arrival: arrival)
        #expect(wider?.bound == .microseconds(580))
        var late = time
        late.start = arrival.instant + .nanoseconds(1)
        #expect(measured.stamp(of: late, skipped: 0, arrival: arrival) == nil)
        late.start = arrival.instant - .seconds(11)
        #expect(measured.stamp(of: late, skipped: 0, arrival: arrival) == nil)
    }
}
