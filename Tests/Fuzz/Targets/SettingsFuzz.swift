import CameraSettings
import CaptureModel
import RigConfiguration

/// Requests for settings as text, and files of cameras.
enum SettingsFuzz {
    static func text(_ bytes: [UInt8]) throws {
        let settings: CaptureSettings
        do {
            settings = try CaptureSettings(parsing: String(decoding: bytes, as: UTF8.self))
        } catch {
            return try FuzzFinding.unless(!error.accepted.isEmpty, "a text is refused without what is accepted")
        }
        do {
            let again = try CaptureSettings(parsing: settings.description)
            try FuzzFinding.unless(again == settings, "a text that was printed says something else: \(settings)")
        } catch let error as SettingsTextError {
            throw FuzzFinding(description: "a text that was printed is refused: \(error)")
        }
        try resolve(settings, nil)
    }

    static func cameraFile(_ bytes: [UInt8]) throws {
        do {
            let known = try CameraPeculiarities(parsing: String(decoding: bytes, as: UTF8.self), file: "fuzz.yaml")
            try resolve(try CaptureSettings(parsing: "gain=6dB lensPosition=0.3"), known)
        } catch let error as ConfigurationError {
            try FuzzFinding.unless(
                !error.problems.isEmpty && error.problems.allSatisfy { $0.line >= 1 && $0.column >= 1 },
                "a mistake has no place")
        }
    }

    static func file(_ bytes: [UInt8]) throws {
        do {
            let file = try SettingsFile(parsing: String(decoding: bytes, as: UTF8.self), file: "fuzz.yaml")
            try FuzzFinding.unless(
                !file.all.entries.isEmpty || !file.cameras.isEmpty, "a file without settings is accepted")
            for settings in [file.all] + file.cameras.values {
                let again = try? CaptureSettings(parsing: settings.description)
                try FuzzFinding.unless(again == settings, "a text that was printed says something else: \(settings)")
            }
        } catch let error as ConfigurationError {
            try FuzzFinding.unless(
                !error.problems.isEmpty && error.problems.allSatisfy { $0.line >= 1 && $0.column >= 1 },
                "a mistake has no place")
        }
    }

    private static func resolve(_ settings: CaptureSettings, _ known: CameraPeculiarities?) throws {
        let plan = SettableCamera(DeviceCapabilities(controls: controls), peculiarities: known).resolve(settings)
        try FuzzFinding.unless(plan.outcomes.count == settings.entries.count, "an entry has no outcome")
        for value in plan.change?.driverValues ?? [] {
            let isWithin = controls.contains { control in
                control.name == value.control && control.kind == .button
                    || control.name == value.control && (control.minimum...control.maximum).contains(value.value)
            }
            try FuzzFinding.unless(isWithin, "'\(value.control)' would be set to \(value.value)")
        }
    }

    private static let controls = [
        DeviceControl(
            name: "auto_exposure", kind: .menu, maximum: 3,
            menu: [.init(index: 1, name: "Manual"), .init(index: 3, name: "Aperture")], value: 3),
        DeviceControl(name: "exposure_time_absolute", kind: .integer, minimum: 1, maximum: 10_000, value: 156),
        DeviceControl(name: "gain", kind: .integer, maximum: 255, value: 64),
        DeviceControl(name: "focus_absolute", kind: .integer, maximum: 250, step: 5, value: 50),
        DeviceControl(name: "focus_auto", kind: .boolean, maximum: 1, value: 1),
        DeviceControl(name: "auto_focus_start", kind: .button),
        DeviceControl(name: "refocus_on_scene_change", kind: .boolean, maximum: 1, value: 0),
        DeviceControl(name: "pan_absolute", kind: .integer, minimum: .min, maximum: .max, step: 3600, value: 0),
    ]
}
