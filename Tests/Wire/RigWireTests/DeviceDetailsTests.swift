import CaptureModel
import CaptureTestSupport
import RigProtocol
import RigWire
import SwiftProtobuf
import Testing

extension SeededGenerator {
    private mutating func range() -> PixelRange {
        PixelRange(
            Int(number(0...Int64(UInt32.max))), Int(number(0...Int64(UInt32.max))),
            step: Int(number(1...Int64(UInt32.max))))
    }

    mutating func formatOffer() -> FormatOffer {
        FormatOffer(
            pixelFormat: pick(PixelFormat.allCases), convertedFrom: maybe { $0.text(Self.lower, 4...4) },
            sizes: list(0...4) { generator in
                SizeOffer(
                    widths: generator.range(), heights: generator.range(),
                    intervals: generator.list(0...3) {
                        IntervalOffer(
                            shortestNanoseconds: $0.number(1...Int64.max), longestNanoseconds: $0.number(1...Int64.max))
                    }, isMadeToOrder: generator.pick([true, false]))
            })
    }

    mutating func deviceControl() -> DeviceControl {
        DeviceControl(
            name: word(), kind: pick(DeviceControl.Kind.allCases), minimum: number(Int64.min...Int64.max),
            maximum: number(Int64.min...Int64.max), step: number(1...Int64.max),
            defaultValue: number(Int64.min...Int64.max), unit: maybe { $0.text(Self.lower + " µ", 1...20) },
            menu: list(0...4) {
                .init(index: $0.number(Int64.min...Int64.max), name: $0.text(Self.lower + " ,", 0...31))
            },
            value: maybe { $0.number(Int64.min...Int64.max) }, isReadOnly: pick([true, false]),
            isInactive: pick([true, false]))
    }

    mutating func stampCorrection() -> StampCorrection {
        var correction = StampCorrection(
            latencyOffset: .nanoseconds(number(-1_000_000_000...1_000_000_000)),
            readout: .nanoseconds(number(0...1_000_000_000)),
            uncertainty: maybe { .nanoseconds($0.number(0...1_000_000_000)) },
            measuredExposure: maybe { .nanoseconds($0.number(0...1_000_000_000)) },
            measuredFormat: maybe { $0.videoFormat().description },
            measuredOn: maybe { CalendarDay("20\($0.number(10...99))-0\($0.number(1...9))-\($0.number(10...28))") }
                ?? nil,
            measuredStamps: maybe { $0.pick(StampOrigin.allCases) })
        correction.sharedError = correction.uncertainty.map { sharedError(within: $0) }
        return correction
    }

    mutating func sharedError(within bound: Duration) -> SharedError {
        SharedError(
            MeasurementID(unixMilliseconds: number(0...1 << 47), using: &self),
            bound: .nanoseconds(number(0...bound.nanoseconds)))
    }

    mutating func stamps() -> CameraStamps {
        CameraStamps(pick(StampOrigin.allCases), correction: maybe { $0.stampCorrection() })
    }

    mutating func deviceDetails() throws -> DeviceDetails {
        var details = DeviceDetails(
            device: try description(), condition: condition(), authorization: pick(AuthorizationStatus.allCases),
            remedy: maybe { $0.sentence() }, identity: maybe { $0.sentence() })
        if pick([true, false]) {
            details.capabilities = DeviceCapabilities(
                formats: list(0...5) { $0.formatOffer() }, controls: list(0...9) { $0.deviceControl() })
            details.isCut = pick([true, false])
        } else {
            details.obstacle = RigProblem(.notRunning, sentence())
        }
        return details
    }
}

@Suite struct DeviceDetailsTests {
    @Test("Round-trips a device's formats, controls and permissions", arguments: UInt64(1)...60)
    func roundTrip(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let details = try generator.deviceDetails()
        let bytes = try WireCoding.control.encode(details.wire)
        #expect(try DeviceDetails(wire: WireCoding.control.decode(WireDeviceDetails.self, from: bytes)) == details)
    }

    @Test("Stamps that a later version has measured are left out, and their correction is refused")
    func laterStamps() throws {
        let correction = StampCorrection(latencyOffset: .milliseconds(-3), measuredStamps: .cameraClock)
        let stamps = CameraStamps(.cameraClock, correction: correction)
        var wire = DeviceCondition(state: .running, stamps: stamps).wire
        #expect(try DeviceCondition(wire: wire).stamps == stamps)
        wire.stamps.correction.measuredStamps = "later"
        #expect(try DeviceCondition(wire: wire).stamps == nil)
        let command = WireDeviceRequest.OneOf_Command.keepStamps(.with { $0.correction = wire.stamps.correction })
        #expect(throws: WireError.self) { try DeviceCommand(wire: command) }
    }

    @Test("Shortens a long list of offers, and says so")
    func cut() throws {
        var generator = SeededGenerator(seed: 3)
        let long = String(repeating: "ÄÖ", count: 100)
        var control = DeviceControl(
            name: String(repeating: "c", count: 64), kind: .menu, minimum: .min, maximum: .min, step: .max,
            defaultValue: .min, unit: long, value: .min)
        control.menu = (0..<100).map { DeviceControl.MenuItem(index: -1 - $0, name: long) }
        let interval = IntervalOffer(shortestNanoseconds: .max, longestNanoseconds: .max)
        let all = PixelRange(Int(UInt32.max), Int(UInt32.max), step: Int(UInt32.max))
        let size = SizeOffer(widths: all, heights: all, intervals: Array(repeating: interval, count: 50))
        let format = FormatOffer(pixelFormat: .mjpeg, convertedFrom: long, sizes: Array(repeating: size, count: 100))
        let details = DeviceDetails(
            device: try generator.description(), condition: generator.condition(), authorization: .denied,
            remedy: String(repeating: "r", count: 100_000), identity: String(repeating: "i", count: 10_000),
            capabilities: DeviceCapabilities(
                formats: Array(repeating: format, count: 100), controls: Array(repeating: control, count: 500)))
        let wire = details.wire
        let bytes = try WireCoding.control.encode(wire)
        #expect(bytes.count < WireCoding.control.maximumByteCount * 9 / 10)
        let arrived = try DeviceDetails(wire: wire)
        #expect(arrived.isCut)
        #expect(arrived.capabilities?.formats.count == WireLimits.formats)
        #expect(arrived.capabilities?.controls.first?.menu.count == WireLimits.menuItems)
    }

    private static func good() -> WireDeviceDetails {
        let size = SizeOffer(
            widths: PixelRange(640, 640), heights: PixelRange(480, 480),
            intervals: [IntervalOffer(shortestNanoseconds: 1, longestNanoseconds: 1)])
        var generator = SeededGenerator(seed: 1)
        let device = (try? generator.description()).map(\.wire) ?? WireDeviceDescription()
        var wire = WireDeviceDetails()
        var condition = generator.condition()
        let correction = StampCorrection(
            uncertainty: .milliseconds(31), sharedError: generator.sharedError(within: .milliseconds(30)))
        condition.stamps = CameraStamps(.startOfExposure, correction: correction)
        (wire.device, wire.condition, wire.authorization) = (device, condition.wire, "authorized")
        wire.capabilities =
            DeviceCapabilities(
                formats: [FormatOffer(pixelFormat: .mjpeg, sizes: [size])],
                controls: [DeviceControl(name: "gain", kind: .integer)]
            ).wire
        return wire
    }

    @Test(
        "A node can bring the coordinator or a client down with what its device offers",
        arguments: [
            Hostile<WireDeviceDetails>("device", "absent") { $0.clearDevice() },
            Hostile("condition", "absent") { $0.clearCondition() },
            Hostile("authorization", "unknown") { $0.authorization = "maybe" },
            Hostile("offer", "absent") { $0.offer = nil },
            Hostile("formats", "too many") {
                $0.capabilities.formats = Array(repeating: $0.capabilities.formats[0], count: 49)
            },
            Hostile("pixel_format", "unknown") { $0.capabilities.formats[0].pixelFormat = "XXXX" },
            Hostile("sizes", "too many") {
                $0.capabilities.formats[0].sizes = Array(repeating: $0.capabilities.formats[0].sizes[0], count: 33)
            },
            Hostile("widths", "absent") { $0.capabilities.formats[0].sizes[0].clearWidths() },
            Hostile("step", "zero") { $0.capabilities.formats[0].sizes[0].heights.step = 0 },
            Hostile("intervals", "too many") {
                let interval = $0.capabilities.formats[0].sizes[0].intervals[0]
                $0.capabilities.formats[0].sizes[0].intervals = Array(repeating: interval, count: 13)
            },
            Hostile("shortest_ns", "zero") { $0.capabilities.formats[0].sizes[0].intervals[0].shortestNs = 0 },
            Hostile("longest_ns", "negative") { $0.capabilities.formats[0].sizes[0].intervals[0].longestNs = -1 },
            Hostile("controls", "too many") {
                $0.capabilities.controls = Array(repeating: $0.capabilities.controls[0], count: 129)
            },
            Hostile("name", "with a line feed") { $0.capabilities.controls[0].name = "a\nb" },
            Hostile("name", "empty") { $0.capabilities.controls[0].name = "" },
            Hostile("kind", "unknown") { $0.capabilities.controls[0].kind = "float" },
            Hostile("step", "negative") { $0.capabilities.controls[0].step = -1 },
            Hostile("latency_offset_ns", "too large") { $0.condition.stamps.correction.latencyOffsetNs = .min },
            Hostile("readout_ns", "negative") { $0.condition.stamps.correction.readoutNs = -1 },
            Hostile("uncertainty_ns", "too large") { $0.condition.stamps.correction.uncertaintyNs = .max },
            Hostile("measured_exposure_ns", "negative") { $0.condition.stamps.correction.measuredExposureNs = -1 },
            Hostile("measurement_id", "too short") { $0.condition.stamps.correction.measurementID.removeLast() },
            Hostile("measurement_id", "absent") { $0.condition.stamps.correction.clearMeasurementID() },
            Hostile("shared_error_ns", "negative") { $0.condition.stamps.correction.sharedErrorNs = -1 },
            Hostile("shared_error_ns", "not part of the uncertainty") {
                $0.condition.stamps.correction.uncertaintyNs = 5
                $0.condition.stamps.correction.sharedErrorNs = 6
            },
            Hostile("menu", "too long") { $0.capabilities.controls[0].menu = Array(repeating: .init(), count: 33) },
        ])
    func hostile(_ fault: Hostile<WireDeviceDetails>) {
        fault.check(Self.good()) { _ = try DeviceDetails(wire: $0) }
    }

    @Test("Limits controls by number and name")
    func hostileValues() throws {
        var request = WireSetControls()
        #expect(throws: WireError.self) { try request.checked() }
        request.values = ["gain": .min]
        #expect(try request.checked() == ["gain": .min])
        request.values["a\u{1B}"] = 1
        #expect(throws: WireError.self) { try request.checked() }
        request.values = Dictionary(uniqueKeysWithValues: (0..<129).map { ("c\($0)", 1) })
        #expect(throws: WireError.self) { try request.checked() }
        var answer = WireControlValues()
        answer.values = request.values
        #expect(throws: WireError.self) { try answer.checked() }
    }
}
