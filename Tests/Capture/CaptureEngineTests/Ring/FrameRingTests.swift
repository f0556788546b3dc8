import CaptureEngine
import CaptureModel
import CaptureTestSupport
import Testing

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

    @Test("Frames older than the ring's depth stay and memory grows without end")
    func depth() {
        var ring = FrameRing(depth: .milliseconds(100), byteLimit: 1 << 20)
        for instant in stride(from: Int64(0), through: 400, by: 20) { #expect(ring.append(frame(instant)) == true) }
        #expect(held(ring) == [300, 320, 340, 360, 380, 400])
        #expect(ring.byteCount == 600)
        #expect(ring.oldest?.sequence == 300)
        #expect(ring.newest?.sequence == 400)
    }

    @Test("The ring takes more memory than its share of the node's budget")
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

    @Test("The frames of an armed shot leave the ring before it fires")
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

    @Test("A frame that two shots have pinned is lost when the first of them ends")
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

    @Test("A ring full of pinned frames grows beyond its limit, or throws pinned frames away")
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

    @Test("A frame out of order gets into the ring and the choice by time goes wrong")
    func unsorted() {
        var ring = FrameRing(depth: .seconds(1), byteLimit: 1000)
        #expect(ring.append(frame(40)) == true)
        #expect(ring.append(frame(40)) == false)
        #expect(ring.append(frame(20)) == false)
        #expect(held(ring) == [40])
        #expect(ring.byteCount == 100)
    }

    @Test("A ring emptied for a stream that starts again still counts the old frames' bytes")
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
