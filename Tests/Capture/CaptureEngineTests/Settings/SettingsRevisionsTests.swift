import CaptureModel
import Testing

@testable import CaptureEngine

@Suite struct SettingsRevisionsTests {
    private let ids: [SettingsID] = (1...68).map { .sample($0) }

    private func decision(_ lastOld: UInt64?, _ firstNew: UInt64?) -> ObservedChangeover {
        let frame = { (number: UInt64) in
            FrameFacts(sequence: number, midExposure: LocalTime(nanoseconds: Int64(number)), stampBound: .zero)
        }
        return ObservedChangeover(evidence: .metadata, lastOld: lastOld.map(frame), firstNew: firstNew.map(frame))
    }

    @Test("Names the transaction in force at a frame, and the frames for which it is not known")
    func inForce() {
        var revisions = SettingsRevisions()
        #expect(revisions.settings(at: 5) == nil)
        revisions.begin(ids[0], after: 10)
        #expect(revisions.settings(at: 10) == nil && revisions.settings(at: 11) == .changing(from: nil, to: ids[0]))
        #expect(revisions.settings(at: 30) == .changing(from: nil, to: ids[0]))
        revisions.decide(decision(11, 13))
        #expect(
            (10...14).map { revisions.settings(at: $0) } == [
                nil, nil, .changing(from: nil, to: ids[0]), .inForce(ids[0]), .inForce(ids[0]),
            ])
        revisions.begin(ids[1], after: 20)
        revisions.decide(decision(20, nil))
        #expect(revisions.settings(at: 20) == .inForce(ids[0]))
        #expect(revisions.settings(at: 21) == .changing(from: ids[0], to: ids[1]))
        revisions.begin(nil, after: 30)
        #expect(revisions.settings(at: 31) == .changing(from: nil, to: nil), "it is not known which were before")
    }

    @Test("Values that the camera has refused are not a change, unless another one has begun since")
    func refused() {
        var revisions = SettingsRevisions()
        revisions.begin(ids[0], after: 10)
        revisions.decide(decision(10, 11))
        revisions.begin(nil, after: 20)
        let number = revisions.number
        revisions.refused(number)
        #expect(revisions.settings(at: 30) == .inForce(ids[0]) && revisions.number == number)
        revisions.begin(nil, after: 30)
        revisions.begin(ids[1], after: 40)
        revisions.refused(number + 1)
        #expect(revisions.newest == ids[1] && revisions.settings(at: 35) == .changing(from: ids[0], to: nil))
    }

    @Test("Values that were accepted are in force when they are older than any camera takes, others never")
    func settled() {
        var revisions = SettingsRevisions()
        revisions.begin(ids[0], after: 10)
        revisions.settle(at: 80)
        #expect(revisions.settings(at: 90) == .changing(from: nil, to: ids[0]), "setting them may have failed")
        revisions.accepted()
        revisions.decide(decision(10, nil))
        revisions.settle(at: 81)
        revisions.settle(at: 82)
        #expect(revisions.settings(at: 80) == .changing(from: nil, to: ids[0]))
        #expect(revisions.settings(at: 81) == .inForce(ids[0]))
    }

    @Test("An undone transaction gives way to the one before it")
    func replaced() {
        var revisions = SettingsRevisions()
        revisions.begin(ids[0], after: 10)
        #expect(revisions.replaced(by: ids[0]) == nil)
        revisions.decide(decision(10, 11))
        revisions.streamOpened()
        revisions.begin(ids[1], after: 3)
        #expect(revisions.replaced(by: ids[1]) == ids[0])
        #expect(revisions.replaced(by: ids[7]) == nil)
    }

    @Test("A capture that sets the camera leaves the revision in force, which an undo still replaces by the one before")
    func aside() {
        var revisions = SettingsRevisions()
        revisions.begin(ids[0], after: 10)
        revisions.decide(decision(10, 11))
        revisions.begin(ids[1], after: 20)
        revisions.decide(decision(20, 21))
        for frame in [30, 40] as [UInt64] {
            revisions.begin(revisions.newest, after: frame)
            #expect(revisions.settings(at: frame + 1) == .changing(from: ids[1], to: ids[1]))
            revisions.decide(decision(frame - 5, frame + 2))
            #expect(revisions.settings(at: frame) == .inForce(ids[1]), "it had arrived before")
            #expect(revisions.settings(at: frame + 2) == .inForce(ids[1]))
        }
        #expect(revisions.replaced(by: ids[1]) == ids[0] && revisions.replaced(by: ids[0]) == nil)
    }

    @Test("Exposure times are possible from their first change to their last one, while these are undecided")
    func exposures() {
        var revisions = SettingsRevisions()
        revisions.begin(ids[0], after: 10, exposures: .milliseconds(4)...(.milliseconds(8)))
        revisions.begin(ids[1], after: 12, exposures: .milliseconds(1)...(.milliseconds(4)))
        revisions.begin(ids[2], after: 14)
        #expect(revisions.exposures(at: 10) == nil)
        #expect(revisions.exposures(at: 11) == .milliseconds(4)...(.milliseconds(8)))
        #expect(revisions.exposures(at: 15) == .milliseconds(1)...(.milliseconds(8)))
    }

    @Test("A decided revision is in force in the next stream, an undecided one may be")
    func nextStream() {
        var revisions = SettingsRevisions()
        revisions.begin(ids[0], after: 10)
        revisions.decide(decision(10, 12))
        revisions.streamOpened()
        #expect(revisions.settings(at: 0) == .inForce(ids[0]))
        revisions.begin(ids[1], after: 3)
        revisions.streamOpened()
        #expect(revisions.settings(at: 0) == .changing(from: nil, to: ids[1]) && revisions.newest == ids[1])
    }

    @Test("Forgets the oldest of many changes")
    func bounded() {
        var revisions = SettingsRevisions()
        for (number, id) in ids.enumerated() {
            revisions.begin(id, after: UInt64(number) * 10)
            revisions.decide(decision(UInt64(number) * 10, UInt64(number) * 10 + 1))
        }
        #expect(revisions.settings(at: 11) == .changing(from: nil, to: ids[3]), "forgotten")
        #expect(revisions.settings(at: 31) == .inForce(ids[3]) && revisions.settings(at: 40) == .inForce(ids[3]))
        #expect(revisions.settings(at: 671) == .inForce(ids[67]))
    }
}

@Suite struct FrameExposureTests {
    private func frame(_ number: UInt64, exposure: Duration?) -> StampedFrame<Int> {
        StampedFrame(
            sequence: number, midExposure: LocalTime(nanoseconds: 0), stampBound: .microseconds(100),
            exposure: exposure, gain: 3, dequeued: LocalTime(nanoseconds: 0), ready: LocalTime(nanoseconds: 0),
            payload: 0)
    }

    private func exposure(
        of frame: StampedFrame<Int>, possible: ClosedRange<Duration>?, isStated: Bool = false
    ) -> FrameExposure {
        var revisions = SettingsRevisions()
        revisions.begin(.sample(1), after: 10, exposures: possible)
        return FrameExposure(of: frame, revisions: revisions, isStated: isStated, interval: .milliseconds(40))
    }

    @Test("An exposure that was being changed is not told, and widens the bound to both values")
    func changing() {
        let range = Duration.milliseconds(2)...(.milliseconds(8))
        let known = exposure(of: frame(10, exposure: .milliseconds(8)), possible: range)
        #expect(known.time == .milliseconds(8) && known.gain == 3 && known.bound == .microseconds(100))
        let changing = exposure(of: frame(11, exposure: .milliseconds(8)), possible: range)
        #expect(changing.time == nil && changing.gain == nil && changing.bound == .microseconds(3100))
        #expect(changing.settings == .changing(from: nil, to: .sample(1)))
        #expect(exposure(of: frame(11, exposure: .milliseconds(2)), possible: range).bound == .microseconds(3100))
    }

    @Test("Without an exposure time the bound covers every exposure up to the interval already")
    func unreported() {
        let within = exposure(of: frame(11, exposure: nil), possible: .milliseconds(2)...(.milliseconds(8)))
        #expect(within.bound == .microseconds(100))
        let beyond = exposure(of: frame(11, exposure: nil), possible: .milliseconds(2)...(.milliseconds(60)))
        #expect(beyond.bound == .microseconds(10_100))
    }

    @Test("An exposure that the frame states, or that is not changed, is told")
    func stated() {
        let range = Duration.milliseconds(2)...(.milliseconds(8))
        let stated = exposure(of: frame(11, exposure: .milliseconds(8)), possible: range, isStated: true)
        #expect(stated.time == .milliseconds(8) && stated.gain == 3 && stated.bound == .microseconds(100))
        let color = exposure(of: frame(11, exposure: .milliseconds(8)), possible: nil)
        #expect(color.time == .milliseconds(8) && color.bound == .microseconds(100))
    }

    @Test("A change of exposure is known by its values, or may be any up to the interval")
    func possible() {
        func range(_ changes: [(String, Int64?, Int64)]) -> ClosedRange<Duration>? {
            changes.map { ControlChange(control: $0.0, old: $0.1, new: $0.2) }.exposures(interval: .milliseconds(40))
        }
        #expect(range([("exposure_time_absolute", 80, 20), ("gain", 1, 2)]) == .milliseconds(2)...(.milliseconds(8)))
        #expect(range([("gain", 1, 2), ("exposure_time_absolute", 80, 80)]) == nil)
        #expect(
            range([("auto_exposure", 3, 1), ("exposure_time_absolute", 80, 600)]) == .zero...(.milliseconds(60)))
        #expect(range([("exposure_time_absolute", nil, 20)]) == .zero...(.milliseconds(40)))
    }
}

@Suite struct ClipSettingsTests {
    @Test("A clip lists each change of its settings once, and nothing if there is none")
    func list() {
        func list(_ settings: [FrameSettings?]) -> [ClipSettings] {
            ClipSettings.list(
                settings.enumerated().map { ($0.element, LocalTime(nanoseconds: 1000 + Int64($0.offset) * 10)) })
        }
        let (one, change) = (FrameSettings.inForce(.sample(1)), FrameSettings.changing(from: nil, to: .sample(1)))
        #expect(list([nil, nil]) == [])
        #expect(
            list([nil, nil, change, change, one]) == [
                ClipSettings(startNanoseconds: 0, settings: nil), ClipSettings(startNanoseconds: 20, settings: change),
                ClipSettings(startNanoseconds: 40, settings: one),
            ])
        let many = list((0..<100).map { .inForce(.sample($0 % 2)) })
        #expect(many.count == ClipSettings.limit && many.last?.settings == .changing(from: nil, to: nil))
    }
}
