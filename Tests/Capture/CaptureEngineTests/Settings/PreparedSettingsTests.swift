import CameraSettings
import CaptureModel
import Testing

@testable import CaptureEngine

@Suite struct PreparedSettingsTests {
    private static func control(
        _ name: String, _ value: Int64?, _ range: ClosedRange<Int64> = 0...100, isInactive: Bool = false
    ) -> DeviceControl {
        DeviceControl(
            name: name, kind: .integer, minimum: range.lowerBound, maximum: range.upperBound, value: value,
            isInactive: isInactive)
    }

    private static func mode(_ name: String, _ value: Int64) -> DeviceControl {
        DeviceControl(
            name: name, kind: .menu, maximum: 3,
            menu: [0, 1, 3].map { DeviceControl.MenuItem(index: $0, name: "\($0)") }, value: value)
    }

    private func prepared(
        _ text: String, _ controls: [DeviceControl], delays: [String: FrameDelay] = [:]
    ) throws -> PreparedSettings {
        let camera = SettableCamera(
            DeviceCapabilities(controls: controls),
            peculiarities: CameraPeculiarities(match: CameraMatch(model: "any"), delays: delays))
        return PreparedSettings(try CaptureSettings(parsing: text), for: camera, interval: .milliseconds(40))
    }

    @Test("Undoes values with those before, and an automatic mode without the value that it chose")
    func undo() throws {
        let exposure = Self.control("exposure_time_absolute", 80, 1...5000)
        let manual = try prepared("exposure=4ms", [exposure, Self.mode("auto_exposure", 1)])
        #expect(manual.values == ["auto_exposure": 1, "exposure_time_absolute": 40])
        #expect(manual.undo == ["auto_exposure": 1, "exposure_time_absolute": 80])
        let auto = try prepared("exposure=4ms", [exposure, Self.mode("auto_exposure", 3)])
        #expect(auto.undo == ["auto_exposure": 3])
        let inactive = try prepared(
            "driver.hue=4 gain=raw:3", [Self.control("hue", 1, isInactive: true), Self.control("gain", 1)])
        #expect(inactive.undo == ["gain": 1])
        let unread = try prepared("driver.hue=4", [Self.control("hue", nil)])
        #expect(unread.undo.isEmpty && unread.preparation.earlier == nil, "it cannot be read")
        let earlier = try CaptureSettings(parsing: "driver.auto_exposure=1 driver.exposure_time_absolute=80")
        #expect(
            manual.preparation.earlier == earlier
                && manual.preparation.earlier == CaptureSettings(driverValues: manual.undo))
    }

    @Test("The lead is the mean delay of the controls that change, if each was measured")
    func lead() throws {
        let controls = [Self.control("gain", 1), Self.control("hue", 1)]
        let gain = try #require(FrameDelay(fewest: 1, most: 2))
        let hue = try #require(FrameDelay(fewest: 2, most: 5))
        func lead(_ text: String, _ delays: [String: FrameDelay]) throws -> Duration {
            try prepared(text, controls, delays: delays).preparation.lead
        }
        #expect(try lead("gain=raw:3", ["gain": gain]) == .milliseconds(60))
        #expect(try lead("gain=raw:3 driver.hue=2", ["gain": gain, "hue": hue]) == .milliseconds(120))
        #expect(try lead("gain=raw:3 driver.hue=2", ["gain": gain]) == .zero)
        #expect(try lead("gain=raw:3 driver.hue=1", ["gain": gain]) == .milliseconds(60), "the hue does not change")
        #expect(try lead("gain=raw:1", ["gain": gain]) == .zero, "nothing changes")
    }

    @Test("A refused entry sets nothing")
    func refused() throws {
        let refused = try prepared("gain=raw:3 driver.hue=101", [Self.control("gain", 1), Self.control("hue", 1)])
        #expect(refused.preparation.isRefused && refused.values.isEmpty && refused.undo.isEmpty)
    }
}
