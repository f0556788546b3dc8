import CameraSettings
import CaptureModel
import CaptureTestSupport
import Testing

@testable import CaptureEngine

/// Frames every 40 ms from 1 s on, exposed for 8 ms around their mid-exposures; the controls were set in the gap between
/// frames 4 and 5 unless a test says otherwise.
@Suite struct ChangeoverWatchTests {
    private static let start = LocalTime(nanoseconds: 1_000_000_000)
    private let gap = Self.start + .milliseconds(4 * 40 + 15)

    private func frames(
        _ count: UInt64, exposure: (UInt64) -> Duration? = { _ in .milliseconds(8) },
        gain: (UInt64) -> Int64? = { _ in 0 },
        bound: Duration = .zero
    ) -> [FrameFacts] {
        (0..<count).map {
            FrameFacts(
                sequence: $0, midExposure: Self.start + .milliseconds(40) * Int($0), stampBound: bound,
                exposure: exposure($0), gain: gain($0))
        }
    }

    private func change(_ control: String, _ old: Int64?, _ new: Int64, _ delay: FrameDelay? = nil) -> ControlChange {
        ControlChange(control: control, old: old, new: new, delay: delay)
    }

    private func watch(
        _ changes: [ControlChange], began: LocalTime? = nil, taking duration: Duration = .milliseconds(2),
        newest: FrameFacts? = nil, isOldKnown: Bool = true
    ) -> ChangeoverWatch {
        ChangeoverWatch(
            changes, began: began ?? gap, accepted: (began ?? gap) + duration, interval: .milliseconds(40),
            newest: newest,
            isOldKnown: isOldKnown)
    }

    private func expect(
        _ change: ObservedChangeover?, _ evidence: SettingsChangeover.Evidence, _ lastOld: UInt64?, _ firstNew: UInt64?,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(change?.evidence == evidence, sourceLocation: sourceLocation)
        #expect(change?.lastOld?.sequence == lastOld, sourceLocation: sourceLocation)
        #expect(change?.firstNew?.sequence == firstNew, sourceLocation: sourceLocation)
    }

    @Test("Nothing changes: waits for the first frame that began after the acceptance")
    func unchanged() {
        let watch = watch([change("gain", 3, 3)])
        #expect(watch.observed(in: frames(5), at: gap) == nil)
        expect(watch.observed(in: frames(7), at: gap), .unchanged, nil, 5)
        let during = self.watch([change("gain", 3, 3)], began: Self.start + .milliseconds(4 * 40))
        expect(during.observed(in: frames(7), at: gap), .unchanged, nil, 5)
        expect(watch.observed(in: frames(5), at: watch.deadline), .unchanged, nil, nil)
    }

    @Test("Does not claim that nothing changes while an earlier change may be on its way")
    func unsettled() {
        expect(
            watch([change("gain", 3, 3)], isOldKnown: false).observed(in: frames(7), at: gap), .unknown, nil, nil)
        let delay = FrameDelay(fewest: 1, most: 1)
        expect(
            watch([change("focus", 3, 4, delay)], isOldKnown: false).observed(in: frames(9), at: gap), .calibrated, nil,
            6)
    }

    @Test("Takes the stated values of frames for evidence, whenever they change")
    func metadata() {
        let changes = [change("exposure_time_absolute", 80, 40), change("gain", 0, 6)]
        let watch = watch(changes, newest: frames(1)[0])
        let exposure = { (number: UInt64) -> Duration? in number < 8 ? .milliseconds(8) : .microseconds(4080) }
        #expect(watch.observed(in: frames(10, exposure: exposure), at: gap) == nil, "the gain has not changed")
        expect(
            watch.observed(in: frames(12, exposure: exposure, gain: { $0 < 10 ? 0 : 6 }), at: gap), .metadata, 7, 10)
        // A frame without its values is undecided.
        let holes = frames(12, exposure: { $0 == 7 ? nil : exposure($0) }, gain: { $0 < 8 ? 0 : 6 })
        expect(watch.observed(in: holes, at: gap), .metadata, 6, 8)
    }

    @Test("Frames before the change may have still earlier values, and cannot have the new ones")
    func earlierFrames() {
        let watch = watch([change("gain", 0, 6)], newest: frames(1)[0])
        let gain = { (number: UInt64) -> Int64? in number < 2 ? 6 : number < 6 ? 0 : 6 }
        #expect(watch.observed(in: frames(5, gain: gain), at: gap) == nil)
        expect(watch.observed(in: frames(9, gain: gain), at: gap), .metadata, 5, 6)
        expect(watch.observed(in: frames(9, gain: { $0 < 6 ? 3 : 6 }), at: gap), .metadata, nil, 6)
    }

    @Test("Old and new values that frames cannot tell apart are not evidence")
    func indistinguishable() {
        let newest = frames(1)[0]
        #expect(watch([change("exposure_time_absolute", 80, 84)], newest: newest).rule == .unknown)
        #expect(watch([change("exposure_time_absolute", nil, 40)], newest: newest).rule == .unknown)
        #expect(
            watch([change("exposure_time_absolute", 80, 40)], newest: frames(1, exposure: { _ in nil })[0]).rule
                == .unknown)
        #expect(watch([change("exposure_time_absolute", 80, 40)]).rule == .unknown, "no frame yet")
        #expect(watch([change("exposure", 80, 40)], newest: newest).rule == .unknown, "its unit is not defined")
        #expect(
            watch([change("exposure_time_absolute", 80, 40), change("hue", 1, 2)], newest: newest).rule == .unknown)
    }

    @Test("A mode that changes is not shown by the values beside it")
    func mode() throws {
        let newest = frames(1)[0]
        let delay = try #require(FrameDelay(fewest: 1, most: 2))
        let mode = change("auto_exposure", 0, 1, delay)
        for value in [change("exposure_time_absolute", 80, 40), change("gain", 0, 6)] {
            #expect(watch([mode, value], newest: newest).rule == .unknown)
            #expect(watch([change("auto_exposure", 1, 1), value], newest: newest).rule != .unknown)
        }
        #expect(
            watch([mode, change("exposure_time_absolute", 80, 40, delay)], newest: newest).rule == .calibrated(delay))
    }

    @Test("Values that frames do not state in time leave the change unknown")
    func late() {
        let watch = watch([change("gain", 0, 6)], newest: frames(1)[0])
        #expect(watch.observed(in: frames(34), at: gap) == nil)
        expect(watch.observed(in: frames(36), at: gap), .unknown, 4, nil)
        expect(watch.observed(in: frames(6), at: watch.deadline), .unknown, 4, nil)
    }

    @Test("Counts the frames of a measured delay from the first one that surely began after the acceptance")
    func calibrated() throws {
        for (fewest, most, lastOld, firstNew) in [(0, 0, 4, 5), (0, 2, 4, 7), (2, 3, 6, 8)]
            as [(Int, Int, UInt64, UInt64)]
        {
            let delay = try #require(FrameDelay(fewest: fewest, most: most))
            let watch = watch([change("focus", 1, 2, delay)])
            #expect(watch.observed(in: frames(firstNew), at: gap) == nil)
            expect(watch.observed(in: frames(firstNew + 1), at: gap), .calibrated, lastOld, firstNew)
        }
    }

    @Test("A frame that is exposed while controls are set is undecided, also by the bound of its stamp")
    func duringSetting() throws {
        let delay = try #require(FrameDelay(fewest: 0, most: 0))
        let during = Self.start + .milliseconds(4 * 40)
        expect(
            watch([change("focus", 1, 2, delay)], began: during).observed(in: frames(9), at: gap), .calibrated, 3, 5)
        // Ended 11 ms before, began 19 ms after.
        let watch = watch([change("focus", 1, 2, delay)])
        expect(watch.observed(in: frames(9, bound: .milliseconds(10)), at: gap), .calibrated, 4, 5)
        expect(watch.observed(in: frames(9, bound: .milliseconds(12)), at: gap), .calibrated, 3, 5)
        expect(watch.observed(in: frames(9, bound: .milliseconds(20)), at: gap), .calibrated, 3, 6)
        // Without its exposure time, a frame may have been exposed for a whole interval, before or after its stamp.
        expect(watch.observed(in: frames(9, exposure: { _ in nil }), at: gap), .calibrated, 3, 6)
    }

    @Test("A frame without its exposure time may have been exposed for as long as the control says")
    func longExposure() throws {
        let delay = try #require(FrameDelay(fewest: 0, most: 0))
        let watch = watch([change("exposure_time_absolute", 80, 1000, delay)])
        expect(watch.observed(in: frames(9, exposure: { _ in nil }), at: gap), .calibrated, 1, 7)
        let longer = self.watch([change("exposure_time_absolute", 2000, 80, delay)])
        expect(longer.observed(in: frames(12, exposure: { _ in nil }), at: gap), .calibrated, nil, 10)
    }

    @Test("Lost frames make a measured delay no shorter, and no frame older than it is")
    func lostFrames() throws {
        let delay = try #require(FrameDelay(fewest: 2, most: 3))
        let watch = watch([change("focus", 1, 2, delay)])
        let lost = { (numbers: Set<UInt64>) in self.frames(14).filter { !numbers.contains($0.sequence) } }
        expect(watch.observed(in: lost([5, 6]), at: gap), .calibrated, 4, 10)
        expect(watch.observed(in: lost([4]), at: gap), .calibrated, 5, 8)
        expect(watch.observed(in: lost([8]), at: gap), .calibrated, 6, 9)
    }

    @Test("Of an unmeasured change, the last frame before it is known")
    func unknown() {
        let watch = watch([change("hue", 1, 2)])
        #expect(watch.observed(in: frames(5), at: gap) == nil, "the frame that is being exposed may have ended before")
        expect(watch.observed(in: frames(6), at: gap), .unknown, 4, nil)
        expect(watch.observed(in: [], at: watch.deadline), .unknown, nil, nil)
    }

    @Test("Controls that change together have the widest delay, if each was measured")
    func together() {
        let short = FrameDelay(fewest: 0, most: 1)
        let long = FrameDelay(fewest: 2, most: 4)
        #expect([change("a", 0, 1, short), change("b", 0, 1, long)].commonDelay == FrameDelay(fewest: 0, most: 4))
        #expect([change("a", 0, 1, short), change("b", 0, 1)].commonDelay == nil)
    }
}

extension SettingsID {
    /// An id for tests.
    static func sample(_ number: Int) -> SettingsID {
        var generator = SeededGenerator(seed: UInt64(number))
        return SettingsID(unixMilliseconds: 1_795_000_000_000 + Int64(number), using: &generator)
    }
}
