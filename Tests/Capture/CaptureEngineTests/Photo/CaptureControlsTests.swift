import CaptureModel
import Testing

@testable import CaptureEngine

@Suite struct CaptureControlsTests {
    private static let light = DeviceControl(
        name: "flash_led_mode", kind: .menu, maximum: 2,
        menu: [.init(index: 0, name: "Off"), .init(index: 1, name: "Flash"), .init(index: 2, name: "Torch")], value: 0)
    private static let exposure = DeviceControl(
        name: "exposure_time_absolute", kind: .integer, minimum: 1, maximum: 5000, unit: "100 µs", value: 80)
    private static let gain = DeviceControl(name: "gain", kind: .integer, minimum: 0, maximum: 30, value: 4)

    private static func mode(_ value: Int64) -> DeviceControl {
        DeviceControl(name: "auto_exposure", kind: .menu, maximum: 3, value: value)
    }

    private func plan(_ settings: PhotoSettings, _ controls: DeviceControl...) throws -> CapturePlan {
        let controls = CaptureControls(device: try DeviceID("north/cam"), controls: controls)
        return try CapturePlan(settings, isLit: settings.flash == .on, interval: .milliseconds(40), controls: controls)
    }

    private func bracket(_ exposure: Int64?, _ gain: Int64? = nil) -> PhotoSettings {
        PhotoSettings(bracket: [BracketStep(exposureNanoseconds: exposure, gain: gain)])
    }

    @Test("A step sets another exposure than asked for, or leaves the camera with it")
    func steps() throws {
        let settings = PhotoSettings(
            flash: .on,
            bracket: [BracketStep(exposureNanoseconds: 2_040_000), BracketStep(exposureNanoseconds: 1000, gain: 9)])
        let plan = try plan(settings, Self.light, Self.exposure, Self.gain, Self.mode(1))
        #expect(
            plan.steps == [
                ["exposure_time_absolute": 20, "flash_led_mode": 2],
                ["exposure_time_absolute": 1, "gain": 9, "flash_led_mode": 2],
            ])
        #expect(plan.undo == ["exposure_time_absolute": 80, "gain": 4, "flash_led_mode": 0])
    }

    @Test("A camera that exposes by itself refuses an exposure, or is left exposing by hand")
    func automatic() throws {
        let plan = try plan(bracket(2_000_000), Self.exposure, Self.mode(3))
        #expect(plan.steps == [["exposure_time_absolute": 20, "auto_exposure": 1]])
        #expect(plan.undo == ["auto_exposure": 3])
    }

    @Test("What a device cannot do is promised, or refused without its name and the level")
    func refused() throws {
        let torchless = DeviceControl(
            name: "flash_led_mode", kind: .menu, maximum: 2,
            menu: [.init(index: 0, name: "Off"), .init(index: 1, name: "Flash")], value: 0)
        for attempt in [
            { try plan(PhotoSettings(flash: .on)) }, { try plan(PhotoSettings(flash: .auto)) },
            { try plan(PhotoSettings(flash: .on), torchless) },
            { try plan(bracket(2_000_000), Self.gain) }, { try plan(bracket(nil, 31), Self.gain) },
            { try plan(bracket(41_000_000), Self.exposure) }, { try plan(bracket(nil, 3)) },
        ] as [() throws -> CapturePlan] {
            do {
                _ = try attempt()
                Issue.record("it was promised")
            } catch let problem as CaptureProblem {
                #expect(problem.code == .unsupportedSettings)
                #expect(problem.message.contains("north/cam") && problem.message.contains("does not support"))
            }
        }
    }

    @Test("A frame that was exposed before, or with another exposure, is taken for one with the setting")
    func covers() {
        let since = LocalTime(nanoseconds: 1_000_000_000)
        let setting = AppliedSetting(since: since, exposure: .milliseconds(8), interval: .milliseconds(40))
        func frame(_ mid: Duration, _ exposure: Duration?) -> RingFrame {
            RingFrame(
                sequence: 1, midExposure: since + mid, stampBound: .zero, exposure: exposure, dequeued: since,
                ready: since, payload: .jpeg([]))
        }
        #expect(!setting.covers(frame(.milliseconds(83), .milliseconds(8))), "began 79 ms after the setting")
        #expect(setting.covers(frame(.milliseconds(84), .milliseconds(8))))
        #expect(setting.covers(frame(.milliseconds(85), .microseconds(8100))))
        #expect(!setting.covers(frame(.milliseconds(160), .milliseconds(20))))
        #expect(setting.covers(frame(.milliseconds(100), nil)), "a camera that tells no exposure")
        #expect(!setting.covers(frame(.milliseconds(99), nil)))
    }
}
