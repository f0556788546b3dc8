import CaptureModel
import Testing

@testable import ScreenTiming

@Suite struct ScreenSequenceTests {
    private let hour = (start: RigTime(nanoseconds: -1_000_000_000_000), end: RigTime(nanoseconds: 2_600_000_000_000))

    @Test("Switches to white and to black in turn, and never flashes three times a second")
    func holds() {
        let switches = ScreenSequence(seed: 3).switches(from: hour.start, to: hour.end)
        #expect(switches.count == 12_000 || switches.count == 12_001)
        for (one, next) in zip(switches, switches.dropFirst()) {
            #expect(one.isWhite != next.isWhite)
            #expect((.milliseconds(180) ... .milliseconds(420)).contains(next.time - one.time))
        }
        for index in switches.indices.dropLast(6) {
            #expect(switches[index + 6].time - switches[index].time > .seconds(1))
        }
    }

    @Test("The sequence of a seed is that of the device lab's camera, which computes it in another language")
    func known() {
        let sequence = ScreenSequence(seed: 7)
        let known = [300_054_647_375, 300_412_059_282, 300_683_935_499].map { RigTime(nanoseconds: $0) }
        let switches = sequence.switches(from: known[0], to: known[2])
        #expect(switches.map(\.time) == known && switches.map(\.isWhite) == [true, false, true])
        let early = RigTime(nanoseconds: -271_285_864)
        #expect(sequence.switches(from: early, to: early) == [ScreenSwitch(time: early, isWhite: false)])
    }

    @Test("The share of white agrees with the switches")
    func shares() {
        let sequence = ScreenSequence(seed: 9)
        var random = SplitMix64(seed: 1)
        let switches = sequence.switches(from: hour.start, to: hour.end)
        for one in switches.prefix(200).dropFirst() {
            let before = Duration.microseconds(Int64(random.fraction() * 90_000) + 1)
            let after = Duration.microseconds(Int64(random.fraction() * 90_000) + 1)
            let share = sequence.whiteShare(from: one.time - before, to: one.time + after)
            let expected = (one.isWhite ? after : before).seconds / (before + after).seconds
            #expect(abs(share - expected) < 1e-9)
            #expect(sequence.whiteShare(from: one.time, to: one.time) == (one.isWhite ? 1 : 0))
        }
    }

    @Test("Cells are the means of their pixels, and a picture that is too small has none")
    func cells() throws {
        let (width, height) = (33, 25)
        let luma = (0..<width * height).map { UInt8($0 / width * 10) }
        func cells(_ width: Int, _ height: Int) -> [UInt8]? {
            ScreenPicture.cells(of: luma.span, width: width, height: height)
        }
        let means = try #require(cells(width, height))
        #expect(means.count == ScreenPicture.rows * ScreenPicture.columns && means[0] == 5)
        #expect(means.suffix(16).allSatisfy { $0 == 230 })
        #expect(cells(15, 12) == nil)
        #expect(cells(width, height + 1) == nil)
    }
}
