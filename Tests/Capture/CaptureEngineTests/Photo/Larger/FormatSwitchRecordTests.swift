import CaptureModel
import CaptureTestSupport
import Testing

@testable import CaptureEngine

@Suite struct FormatSwitchRecordTests {
    private let record = FormatSwitchRecord(clock: ManualTimeSource())
    private let left = StreamGap(localStart: LocalTime(nanoseconds: 1_000))

    private func key() throws -> CaptureKey {
        var generator = SeededGenerator(seed: 1)
        return CaptureKey(
            shot: ShotID(unixMilliseconds: 1_795_000_000_000, using: &generator), device: try DeviceID("north/cam"))
    }

    @Test("Measures the gap of a capture once, from the last frame before to the first after")
    func gap() throws {
        record.begin(try key())
        #expect(record.streamReturned(at: LocalTime(nanoseconds: 1)) == nil)
        record.streamLeft(left)
        #expect(record.gap == left)
        let ended = try #require(record.streamReturned(at: LocalTime(nanoseconds: 5_000)))
        #expect(try ended.key == key() && ended.gap.nanoseconds == 4_000)
        #expect(record.gap == nil && record.streamReturned(at: LocalTime(nanoseconds: 6_000)) == nil)
    }

    @Test("Notes nothing before the first switch, and begins each with nothing")
    func begins() throws {
        record.note("Trouble.")
        record.streamLeft(left)
        #expect(record.trouble == nil && record.gap == nil)
        record.begin(try key())
        record.note("Trouble.")
        record.streamLeft(left)
        #expect(record.trouble == "Trouble.")
        record.begin(try key())
        #expect(record.trouble == nil && record.gap == nil)
    }

    @Test("Measures no gap of a stream that nobody waits for")
    func stops() throws {
        record.begin(try key())
        record.streamLeft(left)
        record.stopWaiting()
        #expect(record.streamReturned(at: LocalTime(nanoseconds: 5_000)) == nil)
    }
}
