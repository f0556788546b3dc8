import CameraSettings
import CaptureModel
import RigConfiguration
import Testing

@Suite struct SettingsFileTests {
    private func problems(_ text: String) -> [ConfigurationProblem] {
        do {
            _ = try SettingsFile(parsing: text, file: "night.yaml")
            return []
        } catch {
            return error.problems
        }
    }

    @Test(arguments: [
        """
        # Studio
        all:
          exposure: 8ms
          gain: 40%
        cameras:
          north/cam1: { wb: 5200K, driver.hue: -3 }
          south/cam1: gain=raw:37 focusMode=auto
        """,
        #"{"all": {"exposure": "8ms", "gain": "40%"}, "cameras": {"north/cam1": {"wb": "5200K", "driver.hue": -3}, "south/cam1": "gain=raw:37 focusMode=auto"}}"#,
    ])
    func `YAML and JSON say the same`(text: String) throws {
        let file = try SettingsFile(parsing: text, file: "night")
        #expect(file.all == (try CaptureSettings(parsing: "exposure=8ms gain=40%")))
        #expect(
            file.cameras == [
                try DeviceID("north/cam1"): try CaptureSettings(parsing: "wb=5200K driver.hue=-3"),
                try DeviceID("south/cam1"): try CaptureSettings(parsing: "gain=raw:37 focusMode=auto"),
            ])
        #expect(file.selection == Selection())
    }

    @Test func `Without settings for all, the named cameras are selected`() throws {
        let file = try SettingsFile(parsing: "cameras: { b/c: gain=1%, a/c: gain=2% }", file: "night")
        #expect(file.selection.devices == [try DeviceID("a/c"), try DeviceID("b/c")])
    }

    @Test(arguments: [
        ("all:\n  exposure: 8\n", 2, "all.exposure"), ("all:\n  speed: 3\n", 2, "all.speed"),
        ("all:\n  gain: 1%\ncameras:\n  north: gain=1%\n", 4, "cameras.north"),
        ("cameras:\n  a/b:\n    gain: [1]\n", 3, "cameras.a/b.gain"), ("cameras:\n  a/b: gain\n", 2, "cameras.a/b"),
        ("cameras:\n  a/b: {}\n", 2, "cameras.a/b"),
        ("all:\n  exposure: 8ms\n  exposureDuration: 9ms\n", 3, "all.exposureDuration"),
        ("all: gain=1%\ncamera: {}\n", 2, "camera"), ("cameras: {}\n", 1, ""), ("all:\n  - gain=1%\n", 2, "all"),
        ("all: gain=1%\nall: gain=2%\n", 1, ""), ("", 1, ""), ("all: {gain: \n", 2, ""),
    ])
    func `Each mistake is named with its line and key`(text: String, line: Int, key: String) throws {
        let problem = try #require(problems(text).first)
        #expect(problem.line == line && problem.key == key, "\(problem)")
    }

    @Test func `All mistakes are told at once`() {
        #expect(problems("all: { gain: 1, wb: warm }\ncameras: { a: x=1 }\n").count == 3)
    }

    @Test func `Profiles are compared by camera and setting`() throws {
        func camera(_ device: String, _ settings: String, model: String? = "X") throws -> SettingsProfile.Camera {
            SettingsProfile.Camera(
                device: try DeviceID(device), make: "Caprig", model: model,
                settings: try CaptureSettings(parsing: settings))
        }
        let first = [try camera("a/b", "driver.gain=1 wb=5200K"), try camera("a/c", "driver.gain=1")]
        #expect(ProfileDifference.between(first, first.reversed()).isEmpty)
        let second = [try camera("a/b", "driver.gain=2 driver.hue=3", model: "Y"), try camera("a/d", "driver.gain=1")]
        let (b, c, d) = (try DeviceID("a/b"), try DeviceID("a/c"), try DeviceID("a/d"))
        #expect(
            ProfileDifference.between(first, second) == [
                ProfileDifference(device: b, name: "model", first: "X", second: "Y"),
                ProfileDifference(device: b, name: "driver.gain", first: "1", second: "2"),
                ProfileDifference(device: b, name: "driver.hue", first: nil, second: "3"),
                ProfileDifference(device: b, name: "whiteBalanceTemperature", first: "5200K", second: nil),
                ProfileDifference(device: c, name: nil, first: "driver.gain=1", second: nil),
                ProfileDifference(device: d, name: nil, first: nil, second: "driver.gain=1"),
            ])
    }

    @Test(arguments: ["night", "A", "2", "Studio_2.b-c@7", "a@2147483647"])
    func `A profile is written as its name, and its version where one is meant`(text: String) throws {
        #expect(try #require(ProfileReference(text)).description == text)
    }

    @Test(arguments: [
        "", ".a", "-a", "a/b", "a b", "ä", "a@", "a@0", "a@-1", "a@x", "a@1@2", "a@2147483648", "..", "a\u{0}",
        String(repeating: "a", count: 65),
    ])
    func `What cannot be a file's name is not a profile's`(text: String) { #expect(ProfileReference(text) == nil) }
}
