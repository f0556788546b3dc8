import CaptureModel
import Testing

@testable import CameraSettings

/// Whatever a driver reports and a user requests.
@Suite struct RoundingTests {
    @Test("Rounds to the nearest value of the range, and accepts that value as it is") func nearest() throws {
        var random = SplitMix64(seed: 1)
        for _ in 0..<3000 {
            let control = Self.control("exposure_time_absolute", using: &random)
            let camera = SettableCamera(DeviceCapabilities(controls: [control]))
            let request = try #require(
                SettingRequest(.exposureDuration, AnyValue.of(.number(.duration), using: &random)))
            try Self.check(request, camera, control)
        }
    }

    @Test("Rounds any setting of any camera to a value that it accepts as it is") func everySetting() throws {
        var random = SplitMix64(seed: 2)
        for camera in SampleCameras.all {
            for _ in 0..<4000 {
                let setting = try #require(CaptureSetting.allCases.randomElement(using: &random))
                guard let request = SettingRequest(setting, Self.value(setting, camera, using: &random)) else {
                    continue
                }
                try Self.check(request, camera, nil)
            }
        }
    }

    @Test("Rounds along measured curves to the nearest value, and accepts that value as it is") func curves() throws {
        var random = SplitMix64(seed: 3)
        for _ in 0..<2000 {
            let curve = try Self.curve(using: &random)
            let control = Self.control("gain", using: &random)
            let camera = SettableCamera(
                DeviceCapabilities(controls: [control]),
                peculiarities: CameraPeculiarities(match: CameraMatch(model: "Any"), curves: ["gain": curve]))
            let value = Int64.random(in: -50_000...50_000, using: &random)
            let quantity = try #require(PhysicalQuantity(value, .decibel))
            try Self.check(try #require(SettingRequest(.gain, .quantity(quantity))), camera, control)
        }
    }

    @Test("Survives whatever a driver reports") func hostile() throws {
        var random = SplitMix64(seed: 4)
        let names = SettingMapping.all.flatMap(\.controls)
        for _ in 0..<300 {
            let controls = names.map { Self.hostile($0, using: &random) }
            let camera = SettableCamera(
                DeviceCapabilities(
                    formats: [
                        FormatOffer(
                            pixelFormat: .mjpeg,
                            sizes: [
                                SizeOffer(
                                    widths: PixelRange(.min, .max, step: .max),
                                    heights: PixelRange(.max, .min, step: 0),
                                    intervals: [
                                        IntervalOffer(
                                            shortestNanoseconds: Self.extreme(&random),
                                            longestNanoseconds: Self.extreme(&random))
                                    ])
                            ])
                    ], controls: controls + controls),
                format: VideoFormat(
                    pixelFormat: .mjpeg, width: .max, height: -1, frameInterval: .nanoseconds(Self.extreme(&random))))
            _ = camera.supportedSettings
            for setting in CaptureSetting.allCases {
                for _ in 0..<3 {
                    guard let request = SettingRequest(setting, AnyValue.of(setting.form, using: &random)) else {
                        continue
                    }
                    try Self.check(request, camera, nil)
                }
            }
            for control in controls {
                var settings = CaptureSettings()
                try settings.add(.driver(try #require(DriverRequest(control.name, Self.extreme(&random)))))
                _ = camera.resolve(settings)
            }
        }
    }

    /// Checks that a plan stays within the driver's range, and that the value it rounds to is set as it is.
    /// - Parameter control: Compares with all its neighbors if it is not nil.
    private static func check(_ request: SettingRequest, _ camera: SettableCamera, _ control: DeviceControl?) throws {
        let plan = try resolve(request, camera)
        guard let change = plan.change else { return }
        for value in change.driverValues {
            let described = try #require(camera.control(value.control))
            #expect(described.kind != .integer || (described.minimum...described.maximum).contains(value.value))
            #expect(described.kind != .menu || described.menu.contains { $0.index == value.value })
        }
        let last = change.driverValues.last?.value
        if let control, let last { expectNearest(request, camera, control, last) }
        guard case .rounded(let rounded) = plan.outcomes.first?.result else { return }
        let again = try resolve(try #require(SettingRequest(request.setting, rounded)), camera)
        #expect(again.outcomes.first?.result == .set(rounded), "\(request) rounds to \(rounded)")
    }

    private static func expectNearest(
        _ request: SettingRequest, _ camera: SettableCamera, _ control: DeviceControl, _ raw: Int64
    ) {
        guard case .quantity(let wanted) = request.value,
            let scale = (try? camera.numeric(request.setting))?.scale,
            let chosen = scale.quantity(raw)
        else { return }
        let step = max(control.step, 1)
        for neighbor in [raw.subtractingReportingOverflow(step), raw.addingReportingOverflow(step)]
        where !neighbor.overflow {
            guard let other = scale.quantity(neighbor.partialValue) else { continue }
            let distances = [chosen, other].map { (Int128($0.count) - Int128(wanted.count)).magnitude }
            #expect(distances[0] <= distances[1], "\(request): \(chosen) instead of \(other)")
        }
    }

    private static func resolve(_ request: SettingRequest, _ camera: SettableCamera) throws -> SettingsPlan {
        var settings = CaptureSettings()
        try settings.add(.setting(request))
        return camera.resolve(settings)
    }

    /// A range with a step that need not divide it.
    private static func control(_ name: String, using random: inout SplitMix64) -> DeviceControl {
        let minimum = Int64.random(in: -300...300, using: &random)
        let maximum =
            minimum + Int64.random(in: 0...100_000, using: &random) >> Int64.random(in: 0...16, using: &random)
        return DeviceControl(
            name: name, kind: .integer, minimum: minimum, maximum: maximum,
            step: Int64.random(in: 1...40, using: &random), value: minimum)
    }

    private static func curve(using random: inout SplitMix64) throws -> MeasuredCurve {
        let isAscending = Bool.random(using: &random)
        var (raw, count) = (Int64.random(in: -400...0, using: &random), Int64.random(in: -20_000...0, using: &random))
        var points: [MeasuredCurve.Point] = []
        for _ in 0..<Int.random(in: 2...9, using: &random) {
            points.append(.init(raw: raw, count: isAscending ? count : -count))
            raw += Int64.random(in: 1...20_000, using: &random)
            count += Int64.random(in: 1...9000, using: &random)
        }
        return try #require(MeasuredCurve(.decibel, points))
    }

    /// A value near those that the camera has.
    private static func value(
        _ setting: CaptureSetting, _ camera: SettableCamera, using random: inout SplitMix64
    ) -> SettingValue {
        guard let number = try? camera.numeric(setting), Bool.random(using: &random) else {
            return AnyValue.of(setting.form, using: &random)
        }
        if let range = number.scale?.range, Bool.random(using: &random),
            let quantity = PhysicalQuantity(
                .random(in: range.low.count...range.high.count, using: &random), range.low.unit)
        {
            return .quantity(quantity)
        }
        return .raw(.random(in: number.raws.first...number.raws.last, using: &random))
    }

    private static func extreme(_ random: inout SplitMix64) -> Int64 {
        let values: [Int64] = [.min, .min + 1, -1, 0, 1, 2, 3, 100, .max - 1, .max]
        return values.randomElement(using: &random) ?? 0
    }

    private static func hostile(_ name: String, using random: inout SplitMix64) -> DeviceControl {
        let kind = DeviceControl.Kind.allCases.randomElement(using: &random) ?? .integer
        let menu = (0..<Int.random(in: 0...3, using: &random)).map { _ in
            DeviceControl.MenuItem(
                index: extreme(&random), name: Bool.random(using: &random) ? "\(extreme(&random))" : "?")
        }
        return DeviceControl(
            name: name, kind: kind, minimum: extreme(&random), maximum: extreme(&random), step: extreme(&random),
            defaultValue: extreme(&random), unit: Bool.random(using: &random) ? "dB" : nil, menu: menu,
            value: Bool.random(using: &random) ? extreme(&random) : nil,
            isReadOnly: Int.random(in: 0..<8, using: &random) == 0,
            isInactive: Int.random(in: 0..<8, using: &random) == 0)
    }
}
