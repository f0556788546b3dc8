import CameraSettings
import CaptureModel
import Glibc
import Testing

/// A camera as its pictures show it: what the machine does not know.
struct SimulatedCamera {
    var exposure: Int64 = 80
    var gain: Int64 = 0
    var red: Int64 = 128
    var blue: Int64 = 128
    var temperature: Int64 = 5500
    var isAutomatic = false
    /// Hidden.
    var light = [1.0, 1.0, 1.0]
    var toneExponent = 1.0
    var noise = 0.0
    var hasBalances = true
    var hasTemperature = false
    var longestExposure: Int64 = 333
    /// A sensor's samples, which white balance does not change.
    var isRaw = false
    var isExposureIgnored = false

    /// Linear light of the target.
    var target = 0.18

    private func gains() -> [Double] {
        if isRaw { return [1, 1, 1] }
        guard hasTemperature else { return [Double(red) / 128, 1, Double(blue) / 128] }
        return [Double(temperature) / 5500, 1, 5500 / Double(temperature)]
    }

    func measured(_ generator: inout SplitMix64) -> PictureMeasurement {
        let amount = Double(isExposureIgnored ? 80 : exposure) / 80 * pow(10, Double(gain) / 20)
        let channels = zip(light, gains()).map { light, gain in
            let noise = 1 + noise * Double(Int64.random(in: -1000...1000, using: &generator)) / 1000
            return min(pow(target * light * gain * amount, toneExponent) * noise, 1)
        }
        let mark = FrameMark(
            sequence: 0, midExposure: BoundedRigTime(time: RigTime(nanoseconds: 0), bound: .zero))
        return PictureMeasurement(
            frames: 24, first: mark, last: mark, linearization: isRaw ? .raw : .assumedSRGB,
            encoded: ColorMean(red: 0, green: 0, blue: 0),
            linear: ColorMean(red: channels[0], green: channels[1], blue: channels[2]),
            clippedHigh: channels.contains { $0 >= 0.99 } ? 1 : 0)
    }

    var controls: [DeviceControl] {
        var controls = [
            DeviceControl(
                name: "auto_exposure", kind: .menu, maximum: 3, defaultValue: 3, value: isAutomatic ? 3 : 1),
            DeviceControl(
                name: "exposure_time_absolute", kind: .integer, minimum: 1, maximum: 5000, unit: "100 µs",
                value: exposure),
            DeviceControl(name: "gain", kind: .integer, minimum: 0, maximum: 24, unit: "dB", value: gain),
            DeviceControl(name: "white_balance_automatic", kind: .boolean, maximum: 1, value: isAutomatic ? 1 : 0),
        ]
        if hasBalances {
            controls.append(DeviceControl(name: "red_balance", kind: .integer, minimum: 32, maximum: 512, value: red))
            controls.append(
                DeviceControl(name: "blue_balance", kind: .integer, minimum: 32, maximum: 512, value: blue))
        }
        if hasTemperature {
            controls.append(
                DeviceControl(
                    name: "white_balance_temperature", kind: .integer, minimum: 2800, maximum: 10_000, step: 10,
                    value: temperature))
        }
        return controls
    }

    var knobs: MatchKnobs { MatchKnobs(controls, frameInterval: .nanoseconds(33_300_000)) }

    mutating func set(_ entries: [String]) {
        isAutomatic = false
        for entry in entries {
            let parts = entry.split(separator: "=").map(String.init)
            guard let value = Int64(parts[1].replacing("raw:", with: "")) else { continue }
            switch parts[0] {
            case "exposureDuration": exposure = min(value, longestExposure)
            case "gain": gain = value
            case "driver.red_balance": red = value
            case "driver.blue_balance": blue = value
            case "whiteBalanceTemperature": temperature = value
            default: Issue.record("\(entry)")
            }
        }
    }

    /// Lets a machine match it.
    mutating func match(
        to target: ColorMean, tolerance: Double = 0.03, _ generator: inout SplitMix64
    ) -> MatchMachine {
        var machine = MatchMachine(target: target, tolerance: tolerance, knobs: knobs)
        var action = machine.measured(measured(&generator))
        while true {
            switch action {
            case .set(let entries):
                set(entries)
                action = machine.isSet()
            case .measure: action = machine.measured(measured(&generator))
            case .end: return machine
            }
        }
    }
}

@Suite("Matching of a camera")
struct MatchMachineTests {
    private let gray = ColorMean(red: 0.18, green: 0.18, blue: 0.18)

    private func camera(_ change: (inout SimulatedCamera) -> Void) -> SimulatedCamera {
        var camera = SimulatedCamera()
        change(&camera)
        return camera
    }

    @Test("Cameras of any sensitivity, tint and tone curve are matched in at most 5 iterations", arguments: 0..<200)
    func random(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        var camera = SimulatedCamera()
        camera.light = (0..<3).map { _ in Double(Int64.random(in: 60...160, using: &generator)) / 100 }
        camera.toneExponent = Double(Int64.random(in: 70...140, using: &generator)) / 100
        camera.exposure = Int64.random(in: 40...160, using: &generator)
        camera.noise = 0.003
        let machine = camera.match(to: gray, &generator)
        #expect(machine.outcome == .matched && machine.iterations <= 5)
        #expect((machine.worstResidual ?? 1) <= 0.03)
        let truth = camera.measured(&generator).linear.channels
        #expect(truth.allSatisfy { abs($0 / 0.18 - 1) < 0.04 }, "\(truth)")
    }

    @Test func `What is within half the tolerance is not set at all`() {
        var generator = SplitMix64(seed: 1)
        var camera = camera { $0.light = [1.01, 0.99, 1.01] }
        let machine = camera.match(to: gray, &generator)
        #expect(machine.outcome == .matched && machine.iterations == 0)
    }

    @Test func `An automatic camera is switched to manual first, and what that changes is corrected`() {
        var generator = SplitMix64(seed: 1)
        var camera = camera { ($0.isAutomatic, $0.light) = (true, [0.8, 0.7, 0.9]) }
        var machine = MatchMachine(target: gray, tolerance: 0.03, knobs: camera.knobs)
        #expect(machine.knobs.isAutomatic)
        guard case .set(let entries) = machine.measured(camera.measured(&generator)) else {
            Issue.record("nothing was set")
            return
        }
        #expect(
            entries == [
                "whiteBalanceMode=manual", "exposureDuration=raw:80", "gain=raw:0", "driver.red_balance=128",
                "driver.blue_balance=128",
            ])
        camera.isAutomatic = false
        let done = camera.match(to: gray, &generator)
        #expect(done.outcome == .matched)
    }

    @Test func `A temperature alone cannot take away green, which remains and is reported`() {
        var generator = SplitMix64(seed: 1)
        var reachable = camera { ($0.hasBalances, $0.hasTemperature, $0.light) = (false, true, [1.2, 1, 0.83]) }
        #expect(reachable.match(to: gray, &generator).outcome == .matched)
        var green = camera { ($0.hasBalances, $0.hasTemperature, $0.light) = (false, true, [1, 1.2, 1]) }
        let machine = green.match(to: gray, &generator)
        guard case .notConverged(let reason)? = machine.outcome else {
            Issue.record("\(String(describing: machine.outcome))")
            return
        }
        #expect(reason.contains("%"))
        let residual = machine.residual ?? []
        // The smallest deviation that is possible: half of it on either side.
        #expect(residual.allSatisfy { abs(abs($0) - 0.095) < 0.02 }, "\(residual)")
    }

    @Test func `Gain does what the exposure time cannot, and light that neither has is reported`() {
        var generator = SplitMix64(seed: 1)
        var dark = camera { $0.light = [0.12, 0.12, 0.12] }
        let machine = dark.match(to: gray, &generator)
        #expect(machine.outcome == .matched && dark.gain > 0 && dark.exposure > 250)
        var hopeless = camera { ($0.light, $0.target) = ([0.012, 0.012, 0.012], 1) }
        let failed = hopeless.match(to: ColorMean(red: 1, green: 1, blue: 1), &generator)
        #expect(failed.outcome != .matched && (failed.worstResidual ?? 0) > 0.03)
        #expect(hopeless.gain == 24 && hopeless.exposure == 333, "as near as it gets")
    }

    @Test func `The white balance of a camera that delivers RAW is left alone`() {
        var generator = SplitMix64(seed: 1)
        var raw = camera { ($0.isRaw, $0.light) = (true, [0.7, 0.7, 0.7]) }
        let machine = raw.match(to: gray, &generator)
        #expect(machine.outcome == .matched && raw.exposure == 114)
        var tinted = camera { ($0.isRaw, $0.light) = (true, [0.6, 0.7, 0.7]) }
        guard case .notConverged(let reason)? = tinted.match(to: gray, &generator).outcome else {
            Issue.record("a tint of the samples was matched")
            return
        }
        #expect(reason.contains("white balance does not change a sensor's samples"))
        #expect(tinted.red == 128 && tinted.blue == 128)
    }

    @Test func `A control without effect on the pictures is named, and another one is used`() {
        var generator = SplitMix64(seed: 1)
        var camera = camera { ($0.isExposureIgnored, $0.light) = (true, [0.5, 0.5, 0.5]) }
        let machine = camera.match(to: gray, &generator)
        #expect(camera.gain == 6, "in steps of 1 dB")
        #expect(machine.outcome == .matched, "\(String(describing: machine.outcome))")
        var stuck = self.camera { ($0.isExposureIgnored, $0.light) = (true, [0.53, 0.53, 0.53]) }
        guard case .notConverged(let reason)? = stuck.match(to: gray, &generator).outcome else {
            Issue.record("steps of 1 dB came near enough")
            return
        }
        #expect(reason.contains("without effect on the pictures: exposureDuration"))
    }

    @Test func `Clipped and black targets are refused, and nothing is set`() {
        var generator = SplitMix64(seed: 1)
        for light in [8.0, 0.0001] {
            var camera = camera { $0.light = [light, light, light] }
            let machine = camera.match(to: gray, &generator)
            guard case .refused(let reason)? = machine.outcome else {
                Issue.record("\(light): \(String(describing: machine.outcome))")
                continue
            }
            #expect(reason.contains("exposure"))
            #expect(machine.iterations == 0 && camera.exposure == 80)
        }
    }

    @Test func `A camera that does not take the values, or is lost, ends with the reason`() {
        var generator = SplitMix64(seed: 1)
        let camera = camera { $0.light = [0.5, 0.5, 0.5] }
        var machine = MatchMachine(target: gray, tolerance: 0.03, knobs: camera.knobs)
        #expect(machine.measured(camera.measured(&generator)) != .end)
        #expect(machine.failed("unplugged") == .end)
        #expect(machine.outcome == .notConverged("unplugged"))
        machine = MatchMachine(target: gray, tolerance: 0.03, knobs: camera.knobs)
        #expect(machine.measured(camera.measured(&generator)) != .end)
        #expect(machine.refused("a flash is armed") == .end)
        #expect(machine.outcome == .refused("a flash is armed") && machine.iterations == 0)
        #expect(machine.knobs.settings == camera.knobs.settings, "it has those of before")
        var early = MatchMachine(target: gray, tolerance: 0.03, knobs: camera.knobs)
        _ = early.failed("absent")
        #expect(early.outcome == .refused("absent"))
        var bare = MatchMachine(target: gray, tolerance: 0.03, knobs: MatchKnobs([], frameInterval: nil))
        _ = bare.measured(camera.measured(&generator))
        #expect(bare.outcome == .refused("the camera has no control of exposure, gain or color"))
    }

    @Test func `Pictures are steady when two measurements agree and neither drifts`() {
        var generator = SplitMix64(seed: 1)
        var watch = SteadyWatch()
        var camera = SimulatedCamera()
        for (light, drift, isSteady) in [
            (0.5, 0.0, false), (0.7, 0.05, false), (0.9, 0.0, false), (0.903, 0.03, false), (0.905, 0.002, true),
        ] {
            camera.light = [light, light, light]
            var measured = camera.measured(&generator)
            measured.drift = drift
            #expect(watch.add(measured) == isSteady, "\(light)")
        }
        camera.light = [0.905, 0.905, 0.95]
        _ = watch.add(camera.measured(&generator))
        #expect(!watch.isSteady, "the color counts too")
    }
}
