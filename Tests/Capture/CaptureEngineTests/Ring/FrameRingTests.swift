import CaptureModel
import CaptureTestSupport
import Testing

@testable import CaptureEngine

@Suite struct FrameRingTests {
    private func frame(_ milliseconds: Int64, bytes: Int = 100) -> RingFrame {
        let instant = LocalTime(nanoseconds: milliseconds * 1_000_000)
        return RingFrame(
            sequence: UInt64(milliseconds), midExposure: instant, stampBound: .zero, exposure: nil,
            dequeued: instant + .milliseconds(5), ready: instant + .milliseconds(6),
            payload: .jpeg([UInt8](repeating: 0, count: bytes)))
    }

    private func window(_ milliseconds: ClosedRange<Int64>) -> ClosedRange<LocalTime> {
        LocalTime(
            nanoseconds: milliseconds.lowerBound * 1_000_000)...LocalTime(
                nanoseconds: milliseconds.upperBound * 1_000_000)
    }

    private func key(_ number: Int64) throws -> CaptureKey {
        var generator = SeededGenerator(seed: UInt64(number))
        return CaptureKey(
            shot: ShotID(unixMilliseconds: number, using: &generator), device: try DeviceID("north/cam"))
    }

    private func held(_ ring: FrameRing) -> [UInt64] {
        ring.frames(in: window(.min / 1_000_000 ... .max / 1_000_000)).map(\.sequence)
    }

    @Test("Drops frames older than the ring's depth")
    func depth() {
        var ring = FrameRing(depth: .milliseconds(100), byteLimit: 1 << 20)
        for instant in stride(from: Int64(0), through: 400, by: 20) { #expect(ring.append(frame(instant)) == true) }
        #expect(held(ring) == [300, 320, 340, 360, 380, 400])
        #expect(ring.byteCount == 600)
        #expect(ring.oldest?.sequence == 300)
        #expect(ring.newest?.sequence == 400)
    }

    @Test("Keeps to its share of the node's memory")
    func byteLimit() {
        var ring = FrameRing(depth: .seconds(10), byteLimit: 350)
        for instant in stride(from: Int64(0), through: 100, by: 20) { #expect(ring.append(frame(instant)) == true) }
        #expect(held(ring) == [60, 80, 100])
        #expect(ring.append(frame(120, bytes: 250)) == true)
        #expect(held(ring) == [100, 120])
        #expect(ring.byteCount == 350)
        #expect(ring.append(frame(140, bytes: 351)) == false, "a frame larger than the ring")
        #expect(ring.byteCount <= 350)
    }

    @Test("Keeps the frames of an armed shot until it fires")
    func pinsSurvive() throws {
        var ring = FrameRing(depth: .milliseconds(60), byteLimit: 1000)
        for instant in stride(from: Int64(0), through: 100, by: 20) { #expect(ring.append(frame(instant)) == true) }
        ring.pin(try key(1), window: window(50...130))
        for instant in stride(from: Int64(120), through: 1000, by: 20) { #expect(ring.append(frame(instant)) == true) }
        #expect(held(ring) == [60, 80, 100, 120, 940, 960, 980, 1000])
        #expect(ring.frames(in: window(50...130)).map(\.sequence) == [60, 80, 100, 120])
        ring.unpin(try key(1))
        ring.unpin(try key(2))
        #expect(ring.append(frame(1020)) == true)
        #expect(held(ring) == [960, 980, 1000, 1020])
        #expect(ring.byteCount == 400)
    }

    @Test("Keeps a frame that two shots pin until both end")
    func overlappingPins() throws {
        var ring = FrameRing(depth: .milliseconds(40), byteLimit: 1000)
        #expect(ring.append(frame(0)) == true)
        ring.pin(try key(1), window: window(0...10))
        ring.pin(try key(2), window: window(-5...0))
        ring.unpin(try key(1))
        #expect(ring.append(frame(500)) == true)
        #expect(held(ring) == [0, 500])
        ring.unpin(try key(2))
        #expect(ring.append(frame(520)) == true)
        #expect(held(ring) == [500, 520])
    }

    @Test("Keeps pinned frames and its limit when it is full of pins")
    func fullOfPins() throws {
        var ring = FrameRing(depth: .seconds(1), byteLimit: 300)
        for instant in [Int64(0), 20, 40] { #expect(ring.append(frame(instant)) == true) }
        ring.pin(try key(1), window: window(0...1000))
        #expect(ring.append(frame(60)) == false)
        #expect(held(ring) == [0, 20, 40])
        #expect(ring.byteCount == 300)
        ring.unpin(try key(1))
        #expect(ring.append(frame(80)) == true)
        #expect(held(ring) == [20, 40, 80])
    }

    @Test("Rejects a frame out of order")
    func unsorted() {
        var ring = FrameRing(depth: .seconds(1), byteLimit: 1000)
        #expect(ring.append(frame(40)) == true)
        #expect(ring.append(frame(40)) == false)
        #expect(ring.append(frame(20)) == false)
        #expect(held(ring) == [40])
        #expect(ring.byteCount == 100)
    }

    @Test("Counts from zero after it is emptied")
    func removeAll() throws {
        var ring = FrameRing(depth: .seconds(1), byteLimit: 300)
        ring.pin(try key(1), window: window(0...1000))
        for instant in [Int64(0), 20, 40] { #expect(ring.append(frame(instant)) == true) }
        ring.removeAll()
        #expect(ring.count == 0)
        #expect(ring.byteCount == 0)
        #expect(ring.newest == nil)
        for instant in [Int64(60), 80, 100] { #expect(ring.append(frame(instant)) == true) }
        #expect(ring.append(frame(120)) == false, "the pin still holds what comes")
    }
}

@Suite struct FrameIntervalTests {
    private func instant(_ microseconds: Int64) -> LocalTime {
        LocalTime(nanoseconds: 5_000_000_000 + microseconds * 1000)
    }

    @Test("Returns the nominal interval before two frames have come")
    func nominal() {
        var interval = FrameInterval(nominal: .milliseconds(40))
        #expect(interval.value == .milliseconds(40))
        interval.note(sequence: 7, midExposure: instant(0))
        #expect(interval.value == .milliseconds(40))
    }

    @Test("Measures the interval of a camera slower than nominal")
    func measured() {
        var interval = FrameInterval(nominal: .milliseconds(33))
        for index in Int64(0)..<4 { interval.note(sequence: UInt64(index), midExposure: instant(index * 40_000)) }
        #expect(interval.value == .milliseconds(40))
    }

    @Test("Measures the interval in spite of dropped frames")
    func drops() {
        var interval = FrameInterval(nominal: .milliseconds(40))
        for index in [Int64(0), 1, 5, 6, 20, 21] {
            interval.note(sequence: UInt64(index), midExposure: instant(index * 40_000))
        }
        #expect(interval.value == .milliseconds(40))
    }

    @Test("Measures the interval in spite of jitter")
    func jitter() {
        var interval = FrameInterval(nominal: .milliseconds(40))
        var generator = SeededGenerator(seed: 3)
        for index in Int64(0)..<500 {
            let jitter = Int64.random(in: -4000...4000, using: &generator)
            interval.note(sequence: UInt64(index), midExposure: instant(index * 40_000 + jitter))
        }
        #expect((interval.value - .milliseconds(40)).magnitude < .milliseconds(1))
    }

    @Test("Measures the interval in spite of jitter of nearly half of it")
    func strongJitter() {
        var interval = FrameInterval(nominal: .milliseconds(40))
        var generator = SeededGenerator(seed: 4)
        for index in Int64(0)..<5000 {
            let jitter = Int64.random(in: -18_000...18_000, using: &generator)
            interval.note(sequence: UInt64(index), midExposure: instant(index * 40_000 + jitter))
            if index > 64 { #expect((interval.value - .milliseconds(40)).magnitude < .milliseconds(5), "\(index)") }
        }
    }

    @Test("Measures another rate within five frames", arguments: [Int64(133), 200, 10])
    func change(milliseconds: Int64) {
        var interval = FrameInterval(nominal: .milliseconds(33))
        for index in Int64(0)...100 { interval.note(sequence: UInt64(index), midExposure: instant(index * 33_000)) }
        for index in Int64(1)...5 {
            let time = 3_300_000 + index * milliseconds * 1000
            interval.note(sequence: UInt64(100 + index), midExposure: instant(time))
        }
        #expect((interval.value - .milliseconds(milliseconds)).magnitude < .milliseconds(1))
    }

    @Test(
        "Says how large its error is, whatever the jitter, also after a phase was moved",
        arguments: [0, 10, 1000, 4000])
    func error(jitter: Int64) {
        for seed in UInt64(0)..<20 {
            var interval = FrameInterval(nominal: .milliseconds(33))
            var generator = SeededGenerator(seed: seed)
            for index in Int64(0)..<600 {
                let late = Int64.random(in: -jitter...jitter, using: &generator) + (index < 300 ? 0 : 15_000)
                interval.note(sequence: UInt64(index), midExposure: instant(index * 40_000 + late))
                // Of so few intervals, chance can make all seem equal.
                guard index > 16 else { continue }
                #expect((interval.value - .milliseconds(40)).magnitude <= interval.error, "\(seed), \(index)")
            }
            // The move was 10 s ago.
            #expect(interval.error <= .microseconds(8 * jitter) / 16 + .microseconds(100))
        }
    }

    @Test("Handles numbers and stamps that do not rise")
    func hostile() {
        var interval = FrameInterval(nominal: .milliseconds(40))
        interval.note(sequence: .max, midExposure: instant(0))
        interval.note(sequence: 0, midExposure: instant(40_000))
        interval.note(sequence: 0, midExposure: instant(80_000))
        interval.note(sequence: 1, midExposure: instant(80_000))
        interval.note(sequence: 2, midExposure: instant(60_000))
        #expect(interval.value == .milliseconds(40))
        interval.note(sequence: 3, midExposure: instant(100_000))
        #expect(interval.value == .milliseconds(40))
    }
}

@Suite struct RateWatchTests {
    private let stated = Duration.nanoseconds(33_333_333)
    private let device: DeviceID

    init() throws {
        device = try DeviceID("stage/front")
    }

    /// Watches frames at these rates, each for so many seconds, and returns what was told, in order.
    private func told(_ parts: [(rate: Double, seconds: Double)], lostEvery lost: UInt64? = nil) -> [String?] {
        var watch = RateWatch(stated: stated)
        var (told, sequence, time): ([String?], UInt64, Double) = ([], 0, 5e9)
        for (rate, seconds) in parts {
            for _ in 0..<Int(rate * seconds) {
                (sequence, time) = (sequence + 1, time + 1e9 / rate)
                if let lost, sequence % lost == 0 { continue }
                if watch.note(sequence: sequence, midExposure: LocalTime(nanoseconds: Int64(time))) {
                    told.append(watch.remark(on: device))
                }
            }
        }
        return told
    }

    @Test("Says nothing of a camera that reaches its rate, or loses frames that are counted")
    func fast() {
        #expect(told([(30, 30)]) == [])
        #expect(told([(29, 30)]) == [])
        #expect(told([(30, 30)], lostEvery: 3) == [])
    }

    @Test(
        "Says once how slow a camera is and what to do, and once that it is no longer",
        arguments: [(7.5, "7.5"), (5, "5"), (10, "10"), (24, "24")])
    func slow(rate: Double, text: String) throws {
        let told = told([(30, 11), (rate, 21), (30, 11)])
        #expect(told.count == 2)
        let remark = try #require(told.first ?? nil)
        #expect(remark.hasPrefix("it delivers \(text) of 30 frames per second"))
        #expect(remark.contains("exposureDynamicFrameRate=off stage/front"))
        #expect(remark.contains("exposure_dynamic_framerate"))
        #expect(told.last == .some(nil))
    }

    @Test("Says nothing of one short stall")
    func stall() {
        #expect(told([(30, 5), (0.7, 1.5), (30, 9)]) == [])
    }
}

@Suite struct RetryDelayTests {
    @Test("Retries an absent camera at bounded intervals")
    func doubles() {
        var delay = RetryDelay(first: .milliseconds(250), last: .seconds(5))
        let waits = (0..<8).map { _ in delay.advance() }
        #expect(waits == [250, 500, 1000, 2000, 4000, 5000, 5000, 5000].map { .milliseconds($0) })
        delay.reset()
        #expect(delay.advance() == .milliseconds(250), "a stream that delivered starts the count again")
    }
}
