import CameraKit
import CaptureModel

extension CameraConformance {
    /// Sets no control to another value than it has: what a device does with it is the device's.
    func controls() async throws {
        let stream = try await start()
        let controls = try await stream.controls()
        try require(Set(controls.map(\.name)).count == controls.count, "two controls have one name")
        for control in controls { try requireSound(control) }
        try await requireRefused(["no such control": 1], by: stream)
        let nothing = try await stream.setControls([:])
        try require(nothing.isEmpty, "setting nothing gave \(nothing)")
        if let harmless = controls.first(where: \.isHarmless), let value = harmless.value {
            let read = try await stream.setControls([harmless.name: value])
            try require(read == [harmless.name: value], "\(harmless.name) was \(value), set to it, and is \(read)")
            try await requireRefused([harmless.name: harmless.maximum + 1], by: stream)
            // All or none.
            try await requireRefused([harmless.name: harmless.minimum, "no such control": 1], by: stream)
            let now = try await stream.controls().first { $0.name == harmless.name }?.value
            try require(now == value, "\(harmless.name) was \(value) and is \(now ?? 0) after refusals")
        }
        _ = try await take(2, of: stream)
        await stream.stop()
    }

    private func requireSound(_ control: DeviceControl) throws(Finding) {
        guard [.integer, .boolean, .menu].contains(control.kind) else { return }
        try require(control.minimum <= control.maximum, "\(control.name): \(control.minimum) to \(control.maximum)")
        guard let value = control.value else { return }
        try require(
            (control.minimum...control.maximum).contains(value),
            "\(control.name) is \(value), not within \(control.minimum) to \(control.maximum)")
        if control.kind == .menu {
            try require(control.menu.contains { $0.index == value }, "\(control.name) is \(value), none of its menu")
        }
    }

    private func requireRefused(_ values: [String: Int64], by stream: any CameraStream) async throws {
        let read: [String: Int64]
        do throws(CameraError) {
            read = try await stream.setControls(values)
        } catch {
            return try require(
                error.code == .unsupportedControl, "\(values) was refused as \(error.code.rawValue): \(error)")
        }
        throw Finding("\(values) was set, and is \(read)")
    }
}

extension DeviceControl {
    /// Whether setting it to the value it has changes nothing.
    fileprivate var isHarmless: Bool {
        ["brightness", "gain", "exposure_time_absolute"].contains(name) && !isReadOnly && !isInactive
            && maximum < .max
    }
}
