import CaptureModel
import RigConfiguration
import Testing
import VirtualDevices

@testable import CameraSettings

@Suite struct CameraPeculiaritiesTests {
    private static let file = """
        make: Maker
        model: "Model 1"
        firmware: "1.*"
        source: "Gray card under constant light, 2026-11-01"
        toneCurve: { points: [ { value: 0, light: 0 }, { value: 128, light: 0.25 }, { value: 255, light: 1 } ] }
        controls:
          - name: gain
            curve:
              unit: dB
              points: [ { raw: 0, value: 0dB }, { raw: 100, value: 12.5dB } ]
            delayFrames: { fewest: 2, most: 3 }
          - name: focus_absolute
            inverted: true
        """

    @Test("Reads curves, directions and delays") func read() throws {
        let read = try CameraPeculiarities(parsing: Self.file, file: "a.yaml")
        #expect(read.match == CameraMatch(make: "Maker", model: "Model 1", firmware: "1.*"))
        #expect(read.curves["gain"]?.points == [.init(raw: 0, count: 0), .init(raw: 100, count: 12_500)])
        #expect(read.inverted == ["focus_absolute"])
        #expect(read.delays == ["gain": try #require(FrameDelay(fewest: 2, most: 3))])
        let curve = try #require(read.toneCurve)
        #expect([0, 64, 128, 255].map { curve[$0] } == [0, 0.125, 0.25, 1])
    }

    @Test("Reads what it writes of measured delays, for one format at one rate")
    func written() throws {
        let match = CameraMatch(
            make: "A \"maker\"", model: "Model\\1: x", firmware: "1.0", format: "MJPG:512x184 40000000ns")
        let delays = [
            "gain": try #require(FrameDelay(fewest: 0, most: 4, middleThousandths: 2040)),
            "exposure_time_absolute": try #require(FrameDelay(fewest: 2, most: 60)),
        ]
        let text = CameraPeculiarities.text(of: match, delays, source: "A test: of \"text\"")
        let read = try CameraPeculiarities(parsing: text, file: "b.yaml")
        #expect(read.match == match && read.delays == delays)
        #expect(match.matches(make: match.make, model: match.model, firmware: "1.0", format: "MJPG:512x184 40000000ns"))
        #expect(
            !match.matches(make: match.make, model: match.model, firmware: "1.0", format: "MJPG:512x184 33333333ns"))
        #expect(!match.matches(make: match.make, model: match.model, firmware: "1.0"))
    }

    @Test(
        "Reports a mistake with its position and its key",
        arguments: [
            ("model: \"Model 1\"", "modle: x", "modle: unknown key; did you mean 'model'?"),
            ("source: ", "origin: ", "source: is required and missing"),
            ("value: 12.5dB", "value: 12.5K", "controls[0].curve.points[1].value: must be decibels such as 6dB"),
            ("raw: 100", "raw: 0", "needs at least 2 points by ascending raw"),
            ("unit: dB", "unit: db", "controls[0].curve.unit: 'db' is not one of"),
            ("most: 3", "most: 1", "controls[0].delayFrames: fewest must not be more than most"),
            ("most: 3", "most: 61", "controls[0].delayFrames.most: '61' is not a whole number from 0 to 60"),
            ("value: 128", "value: 300", "toneCurve.points[1].value: '300' is not a whole number from 0 to 255"),
            ("value: 128", "value: 255", "toneCurve: needs at least 2 points from value 0 to 255, ascending"),
            ("value: 0, light", "value: 1, light", "toneCurve: needs at least 2 points from value 0 to 255, ascending"),
            ("light: 0.25", "light: 1.25", "toneCurve.points[1].light"),
            ("inverted: true", "inverted: false", "controls[1]: says nothing"),
            ("name: focus_absolute", "name: gain", "controls[1]: 'gain' is described twice"),
            ("name: gain", "name: Gain!", "controls[0].name: must be the name of a control"),
        ])
    func mistakes(_ right: String, _ wrong: String, _ problem: String) {
        let text = Self.file.replacing(right, with: wrong)
        #expect { try CameraPeculiarities(parsing: text, file: "a.yaml") } throws: { error in
            "\(error)".contains("a.yaml:") && "\(error)".contains(problem)
        }
    }

    @Test("Bounds the numbers of controls and points") func bounds() {
        let points = (0...MeasuredCurve.limit).map { "{ raw: \($0), value: \($0)dB }" }.joined(separator: ", ")
        let long = Self.file.replacing("{ raw: 0, value: 0dB }, { raw: 100, value: 12.5dB }", with: points)
        #expect(throws: ConfigurationError.self) { try CameraPeculiarities(parsing: long, file: "a.yaml") }
        let many = (0...64).map { "\n  - { name: c\($0), inverted: true }" }.joined()
        #expect(throws: ConfigurationError.self) { try CameraPeculiarities(parsing: Self.file + many, file: "a.yaml") }
    }

    @Test(
        "Matches model and firmware",
        arguments: [
            ("1.*", "1.2.3", true), ("1.*", "2.1", false), ("*", "", true), ("1.2", "1.2", true),
            ("1.2", "1.20", false),
            ("*.7*", "1.2.71", true), ("*.7*", "1.2.61", false),
            ("*a*a*a*b", String(repeating: "a", count: 500), false),
        ])
    func firmware(_ pattern: String, _ firmware: String, _ matches: Bool) {
        let match = CameraMatch(make: "Maker", model: "Model", firmware: pattern)
        #expect(match.matches(make: "Maker", model: "Model", firmware: firmware) == matches)
        #expect(!match.matches(make: "Maker", model: "Model", firmware: nil))
        #expect(!match.matches(make: "Other", model: "Model", firmware: firmware))
        #expect(!match.matches(make: "Maker", model: nil, firmware: firmware))
    }

    @Test("Prefers the entry that says most about a camera") func precision() {
        let matches = [
            CameraMatch(model: "Model"), CameraMatch(make: "Maker", model: "Model"),
            CameraMatch(model: "Model", firmware: "2*"),
        ]
        let catalogue = CameraCatalogue(matches.map { CameraPeculiarities(match: $0) })
        #expect(catalogue.peculiarities(make: "Maker", model: "Model", firmware: "2.0")?.match == matches[2])
        #expect(catalogue.peculiarities(make: "Maker", model: "Model")?.match == matches[1])
        #expect(catalogue.peculiarities(make: "Other", model: "Model")?.match == matches[0])
        #expect(catalogue.peculiarities(make: "Maker", model: "Model 2") == nil)
    }

    @Test("Every file of the program is one") func shipped() throws {
        for (name, text) in CameraCatalogue.shippedFiles { _ = try CameraPeculiarities(parsing: text, file: name) }
        #expect(CameraCatalogue.shipped.cameras.count == CameraCatalogue.shippedFiles.count)
    }

    @Test("The virtual camera does what its file says") func virtualCamera() async throws {
        let configuration = VirtualCameraConfiguration()
        let capabilities = try await VirtualCamera(name: "cam", configuration: configuration).capabilities()
        let known = try #require(
            CameraCatalogue.shipped.peculiarities(make: configuration.make, model: configuration.model))
        let controls = capabilities.controls
        for name in Set(known.curves.keys).union(known.delays.keys).union(known.inverted) {
            #expect(controls.contains { $0.name == name })
        }
        let gain = try #require(controls.first { $0.name == "gain" })
        let curve = try #require(known.curves["gain"])
        #expect(gain.unit == "dB" && curve.points.map(\.raw) == [gain.minimum, gain.maximum])
        #expect(curve.points.allSatisfy { $0.count == $0.raw * 1000 })
        let camera = SettableCamera(capabilities, peculiarities: known)
        let plan = camera.resolve(try CaptureSettings(parsing: "exposure=4ms gain=6dB wb=4000K torch=1"))
        let change = try #require(plan.change)
        let set = Dictionary(uniqueKeysWithValues: change.driverValues.map { ($0.control, $0.value) })
        #expect(
            set == [
                "auto_exposure": 1, "exposure_time_absolute": 40, "gain": 6, "flash_led_mode": 2,
                "white_balance_automatic": 0, "white_balance_temperature": 4000,
            ])
        #expect(change.driverValues.allSatisfy { $0.delay == FrameDelay(fewest: 0, most: 1) })
    }
}
