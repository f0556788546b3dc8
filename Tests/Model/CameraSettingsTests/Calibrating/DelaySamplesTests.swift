import CaptureModel
import Testing

@testable import CameraSettings

@Suite struct DelaySamplesTests {
    private static let interval: Int64 = 20_000_000

    private func mark(_ sequence: Int64) -> FrameMark {
        FrameMark(
            sequence: UInt64(sequence),
            midExposure: BoundedRigTime(time: RigTime(nanoseconds: sequence * Self.interval), bound: .zero))
    }

    /// A camera that was set so many thousandths of an interval after frame `frame`, and shows it `late` frames after that one.
    private func effect(
        _ frame: Int64, after thousandths: Int64, late: Int64, evidence: SettingsChangeover.Evidence = .pixels,
        undecided: Int64 = 0
    ) -> SettingsEffect {
        let accepted = frame * Self.interval + thousandths * Self.interval / 1000
        return SettingsEffect(
            accepted: BoundedRigTime(time: RigTime(nanoseconds: accepted), bound: .zero), controls: [:],
            change: SettingsChangeover(
                evidence: evidence, lastOld: mark(frame + late - 1 - undecided), firstNew: mark(frame + late)))
    }

    @Test("The range contains every sample and a frame on either side, and its middle is that of the times")
    func range() throws {
        var samples = DelaySamples()
        for (number, late) in [4, 5, 6, 5, 4, 6].enumerated() {
            samples.add(effect(Int64(number) * 50, after: 500, late: Int64(late)))
        }
        let delay = try #require(samples.delay(of: "gain"))
        #expect(delay.middleThousandths == 4500)
        // Frame 2 is the first that surely began afterwards, if it is exposed for an interval before its stamp; frame -1
        // is the last that surely began before.
        #expect(delay.most == 6 - 2 + DelaySamples.margin)
        #expect(delay.fewest == 3 + 1 - DelaySamples.margin)
    }

    @Test("A camera that acts with the next frame has no least delay")
    func prompt() throws {
        var samples = DelaySamples()
        for number in 0..<20 { samples.add(effect(Int64(number) * 50, after: Int64(number) * 50, late: 1)) }
        let delay = try #require(samples.delay(of: "gain"))
        #expect(delay.fewest == 0 && delay.most == 1)
        #expect((500...550).contains(delay.middleThousandths))
        #expect(samples.isComplete)
    }

    @Test("Steps may be of several streams, whose frames are numbered from the start again")
    func streams() throws {
        var samples = DelaySamples()
        for number in 0..<20 {
            var effect = effect(Int64(number) * 50, after: 0, late: 4)
            if number >= 10 {
                effect.change.lastOld?.sequence -= 500
                effect.change.firstNew?.sequence -= 500
            }
            samples.add(effect)
        }
        #expect(samples.delay(of: "gain")?.middleThousandths == 4000)
    }

    @Test("Only exact steps that frames have shown count")
    func exact() {
        var samples = DelaySamples()
        for evidence in SettingsChangeover.Evidence.allCases {
            let isShown = evidence == .pixels || evidence == .metadata
            let isAdded = samples.add(effect(0, after: 0, late: 3, evidence: evidence))
            #expect(isAdded == isShown)
            let isInexactAdded = samples.add(effect(0, after: 0, late: 3, evidence: evidence, undecided: 1))
            #expect(!isInexactAdded)
        }
        #expect(DelaySamples().delay(of: "gain") == nil)
    }

    private func control(
        _ name: String, _ value: Int64?, _ range: ClosedRange<Int64>, step: Int64 = 1, isInactive: Bool = false
    ) -> DeviceControl {
        DeviceControl(
            name: name, kind: .integer, minimum: range.lowerBound, maximum: range.upperBound, step: step,
            defaultValue: 0, value: value, isInactive: isInactive)
    }

    @Test("Steps are large, within the range, and exposures within the time of a frame")
    func steps() throws {
        let interval = Duration.milliseconds(10)
        #expect(
            CalibrationSteps(control("exposure_time_absolute", 80, 1...10_000), frameInterval: interval)?.others == [
                40, 60,
            ])
        #expect(
            CalibrationSteps(control("exposure_time_absolute", 20, 1...10_000), frameInterval: interval)?.others
                == [10, 40, 15, 30])
        #expect(
            CalibrationSteps(control("gain", 0, 0...64, step: 5), frameInterval: interval)?.others
                == [10, 5, 0].filter { $0 > 0 })
        #expect(
            CalibrationSteps(control("gain", 0, -48...48), frameInterval: interval)?.others == [12, -12, 6, -6, 3, -3])
        let widest = CalibrationSteps(control("gain", .max, .min ... .max), frameInterval: interval)
        #expect(widest?.others.contains(.max) != true)
        #expect(CalibrationSteps(control("gain", nil, 0...64), frameInterval: interval) == nil)
        #expect(CalibrationSteps(control("gain", 1, 0...64, isInactive: true), frameInterval: interval) == nil)
    }
}
