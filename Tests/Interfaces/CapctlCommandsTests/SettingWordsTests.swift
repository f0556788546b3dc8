import CaptureModel
import RigClient
import Testing

@testable import CapctlCommands

@Suite struct SettingWordsTests {
    private let device: DeviceID
    private let words: SettingWords

    init() throws {
        device = try DeviceID("north/cam1")
        let details = DeviceDetails(
            device: DeviceDescription(id: device, driver: "v4l2"), condition: DeviceCondition(state: .running),
            authorization: .authorized, identity: nil,
            capabilities: DeviceCapabilities(
                formats: [],
                controls: [
                    DeviceControl(
                        name: "exposure_time_absolute", kind: .integer, minimum: 1, maximum: 5000, defaultValue: 156,
                        unit: "100 µs", value: 250),
                    DeviceControl(
                        name: "auto_exposure", kind: .menu, maximum: 3,
                        menu: [.init(index: 0, name: "Auto Mode"), .init(index: 1, name: "Manual Mode")], value: 0),
                    DeviceControl(name: "vendor_thing", kind: .integer, maximum: 9, value: 0),
                ]))
        words = SettingWords(cameras: [device: details])
    }

    private func text(_ settings: String) throws -> String {
        words.text(of: try CaptureSettings(parsing: settings), for: device)
    }

    @Test func `Settings read with short names, and a space before the unit`() throws {
        #expect(try text("exposure=8ms wb=5200K gain=40%") == "exposure 8 ms, wb 5200 K, gain 40 %")
        #expect(
            try text("gain=6dB bias=+0.5EV focusMode=auto powerLineFrequency=50Hz")
                == "gain 6 dB, bias +0.5 EV, focusMode auto, powerLineFrequency 50Hz")
        #expect(
            try text("iris=f/2.8 iso=400 whiteBalanceGains=1.9,1,1.6")
                == "iris f/2.8, iso 400, whiteBalanceGains 1.9,1,1.6")
        #expect(try text("").isEmpty)
    }

    @Test func `What a driver's controls were reads as the settings that they are`() throws {
        #expect(
            try text("driver.auto_exposure=1 driver.exposure_time_absolute=80") == "exposureMode manual, exposure 8 ms")
    }

    @Test func `A control without a setting, and a camera that does not answer, keep the driver's names`() throws {
        #expect(try text("driver.vendor_thing=3") == "driver.vendor_thing 3")
        let settings = try CaptureSettings(parsing: "driver.exposure_time_absolute=80")
        #expect(SettingWords().text(of: settings, for: device) == "driver.exposure_time_absolute 80")
    }

    @Test func `What an undo has set reads in words, too`() throws {
        let settings = try CaptureSettings(parsing: "driver.exposure_time_absolute=80")
        let cells = words.cells(of: try #require(settings.entries.first), .raw(80), for: device)
        #expect(cells.0 == "exposure" && cells.1 == "8 ms")
        let refused = words.cells(of: try #require(settings.entries.first), nil, for: device)
        #expect(refused.0 == "exposure" && refused.1 == nil)
    }

    @Test func `A profile's differences read in words`() throws {
        let name = words.cells("exposureDuration", "8ms", for: device)
        #expect(name.0 == "exposure" && name.1 == "8 ms")
        let control = words.cells("driver.exposure_time_absolute", "80", for: device)
        #expect(control.0 == "exposure" && control.1 == "8 ms")
        let model = words.cells("model", "C920", for: device)
        #expect(model.0 == "model" && model.1 == "C920")
    }
}
