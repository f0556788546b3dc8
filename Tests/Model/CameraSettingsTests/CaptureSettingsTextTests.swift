import CaptureModel
import Testing

@testable import CameraSettings

@Suite struct CaptureSettingsTextTests {
    @Test("Reads settings by their names and short names, and prints their names") func names() throws {
        let settings = try CaptureSettings(parsing: " exposure=8ms  gain=6dB wb=5200K\tdriver.hue=-3 ")
        #expect(
            settings.description == "exposureDuration=8ms gain=6dB whiteBalanceTemperature=5200K driver.hue=-3")
    }

    @Test(
        "Reads a value as it prints it, whatever its unit",
        arguments: [
            ("exposure=1/125s", "8ms"), ("exposure=1/30", "33.333333ms"), ("exposure=250us", "250us"),
            ("exposure=2.5s", "2.5s"), ("exposure=0.0001s", "100us"), ("exposure=7ns", "7ns"),
            ("exposure=40%", "40%"), ("exposure=raw:37", "raw:37"), ("exposure=current", "current"),
            ("bias=+0.3EV", "+0.3EV"), ("bias=-1EV", "-1EV"), ("bias=0EV", "0EV"), ("gain=-0.25dB", "-0.25dB"),
            ("iso=400", "400"), ("iso=400ISO", "400"), ("wb=5200K", "5200K"), ("whiteBalanceTint=-10", "-10"),
            ("whiteBalanceGains=2,4,1", "2,4,1"), ("whiteBalanceGains=3,2,4", "1.5,1,2"),
            ("lensPosition=0.25", "25%"), ("torch=1", "100%"), ("zoom=2.5x", "2.5x"), ("zoom=2", "2x"),
            ("iris=f/2.8", "f/2.8"), ("pan=-12.5deg", "-12.5deg"), ("tilt=7arcsec", "7arcsec"), ("tilt=1°", "1deg"),
            ("focusPointOfInterest=0.5,0.25", "0.5,0.25"), ("powerLineFrequency=50Hz", "50Hz"),
            ("exposureMode=shutterPriority", "shutterPriority"), ("exposureDynamicFrameRate=off", "off"),
            ("format=MJPG:1280x720", "MJPG:1280x720"), ("minimumFrameDuration=1/60s", "16.666667ms"),
            ("sharpness=12.3456%", "12.3456%"), ("driver.hue=0x1f", "31"),
        ])
    func values(_ text: String, _ printed: String) throws {
        let settings = try CaptureSettings(parsing: text)
        #expect(settings.description.hasSuffix("=" + printed))
        #expect(try CaptureSettings(parsing: settings.description) == settings)
    }

    @Test("Reads what it has printed, for any value of any setting") func roundTrip() throws {
        var random = SplitMix64(seed: 25)
        for _ in 0..<20_000 {
            let setting = try #require(CaptureSetting.allCases.randomElement(using: &random))
            guard let request = SettingRequest(setting, AnyValue.of(setting.form, using: &random)) else { continue }
            #expect(try SettingRequest(setting, parsing: request.value.description) == request)
            let driver = try #require(DriverRequest("hue", .random(in: .min ... .max, using: &random)))
            var settings = CaptureSettings()
            try settings.add(.setting(request))
            try settings.add(.driver(driver))
            #expect(try CaptureSettings(parsing: settings.description) == settings)
        }
    }

    @Test(
        "Names the setting, the text and what is accepted",
        arguments: [
            (
                "exposure=8",
                "exposureDuration: '8' is not a value of it; accepted: a time such as 8ms or 1/125s, 40%, raw:N or current"
            ),
            ("gain=6", "gain: '6' is not a value of it; accepted: decibels such as 6dB, 40%, raw:N or current"),
            ("sharpness=3", "sharpness: '3' is not a value of it; accepted: 40%, raw:N or current; it has no unit"),
            (
                "focusMode=twice",
                "focusMode: 'twice' is not a value of it; accepted: auto, locked, manual, once, raw:N or current"
            ),
            ("exposure", "'exposure' has no '='; accepted: NAME=VALUE, such as exposure=8ms"),
            (
                "driver.hue=red",
                "driver.hue: 'red' is not a value of it; accepted: an integer of 64 bits, such as 37 or 0x25"
            ),
            ("gain=1dB gain=2dB", "gain: 'gain=2dB' names it a second time; accepted: one value"),
        ])
    func errors(_ text: String, _ description: String) {
        #expect { try CaptureSettings(parsing: text) } throws: { "\($0)" == description }
    }

    @Test(
        "Refuses what no setting can be",
        arguments: [
            "exposure=0ms", "exposure=-1ms", "exposure=1/0s", "exposure=101%", "exposure=-1%", "exposure=1e3ms",
            "exposure=99999999999s", "gain=", "gain=dB", "gain=.5dB", "gain=1.dB", "gain=1.0001dB", "gain=6K",
            "wb=5200.5K", "wb=0K", "iso=0", "zoom=0x", "lensPosition=1.1", "whiteBalanceGains=1,2",
            "whiteBalanceGains=0,1,1", "whiteBalanceGains=1,1,1001", "focusPointOfInterest=0.5,2",
            "format=MJPG:0x720", "format=ABCD:640x480", "format=MJPG:640", "minimumFrameDuration=40%",
            "raw:raw:1=2", "gain=raw:9223372036854775808", "driver.=1", "driver.Hue=1", "driver.hue=", "=1",
            "nothing=1",
            "exposureMode=Auto", "powerLineFrequency=55Hz", "gain=raw:1.5",
        ])
    func refused(_ text: String) {
        #expect(throws: SettingsTextError.self) { try CaptureSettings(parsing: text) }
    }

    @Test("Bounds the length and the number of entries") func bounds() {
        let many = (0...CaptureSettings.limit).map { "driver.c\($0)=1" }
        #expect(throws: SettingsTextError.self) { try CaptureSettings(parsing: many) }
        #expect(throws: SettingsTextError.self) {
            try CaptureSettings(parsing: "gain=" + String(repeating: "1", count: CaptureSettings.textLimit))
        }
    }

    @Test("Accepts no value that a setting cannot have") func wrongStates() throws {
        let gain = try #require(PhysicalQuantity(6000, .decibel))
        #expect(SettingRequest(.exposureDuration, .quantity(gain)) == nil)
        #expect(SettingRequest(.focusMode, .mode(.shutterPriority)) == nil)
        #expect(SettingRequest(.format, .raw(1)) == nil)
        #expect(PhysicalQuantity(0, .duration) == nil && RangeFraction(millionths: 1_000_001) == nil)
        #expect(WhiteBalanceGains(red: .max, green: 1, blue: 1) == nil)
    }
}

/// Random values.
enum AnyValue {
    static func of(_ form: SettingForm, using random: inout SplitMix64) -> SettingValue {
        let number = Int64.random(in: .min ... .max, using: &random) >> Int64.random(in: 0...62, using: &random)
        func fraction(_ random: inout SplitMix64) -> RangeFraction? {
            RangeFraction(millionths: Int64.random(in: 0...1_000_000, using: &random))
        }
        switch (form, Int.random(in: 0..<4, using: &random)) {
        case (_, 0): return .current
        case (.mode(let modes), 1...2): return modes.randomElement(using: &random).map(SettingValue.mode) ?? .current
        case (.number(let unit?), 1), (.number(let unit?), 2):
            return PhysicalQuantity(number, unit).map(SettingValue.quantity) ?? .current
        case (.frameDuration, _): return PhysicalQuantity(number, .duration).map(SettingValue.quantity) ?? .current
        case (.number, 3), (.position, 3): return fraction(&random).map(SettingValue.fraction) ?? .current
        case (.gains, _):
            let gains = (0..<3).map { _ in Int64.random(in: 1...100_000, using: &random) }
            return WhiteBalanceGains(red: gains[0], green: gains[1], blue: gains[2]).map(SettingValue.gains) ?? .current
        case (.point, _):
            guard let x = fraction(&random), let y = fraction(&random) else { return .current }
            return .point(PointOfInterest(x: x, y: y))
        case (.format, _):
            let format = PixelFormat.allCases.randomElement(using: &random) ?? .mjpeg
            let sides = (0..<2).map { _ in Int.random(in: 1...RequestedFormat.largestSide, using: &random) }
            return RequestedFormat(format, width: sides[0], height: sides[1]).map(SettingValue.format) ?? .current
        default: return .raw(number)
        }
    }
}
