import Glibc

/// Sets several controls of one device, all or none.
///
/// | step | controls | why in this order |
/// |---|---|---|
/// | 1 | booleans, menus | they switch automatic modes off, and the values of step 2 have an effect only then |
/// | 2 | numbers, bitmasks | |
/// | 3 | buttons | their effect cannot be undone, so nothing may fail after them |
///
/// A step is one call to the device. Before step 2 its controls are read again. One that is still inactive would accept its value without
/// effect, so it is refused. If a step fails, everything is restored, step 2 first, since its values can be restored only while the
/// automatic modes are off. Only values that could be read can be restored.
public struct ControlTransaction: Hashable, Sendable {
    private let modes: [ControlAssignment]
    private let values: [ControlAssignment]
    private let buttons: [ControlAssignment]

    /// Checks the request against the device's controls. Sets nothing.
    /// - Parameter request: Values by name, as ``VideoControl/key`` spells them.
    /// - Throws: ``ControlError``: a name is unknown, a control read-only, or a value out of range.
    public init(_ request: [String: Int64], on device: some ControlAccess) throws(ControlError) {
        let controls = try Self.asked { () throws(VideoError) in try device.controls() }
        var assignments: [ControlAssignment] = []
        for (name, value) in request.sorted(by: { $0.key < $1.key }) {
            guard let control = controls.first(where: { $0.key == name }) else {
                throw Self.unknown(name, among: controls)
            }
            let menu = try Self.asked { () throws(VideoError) in try device.menu(of: control) }
            try control.check(value, menu)
            assignments.append(ControlAssignment(control, value))
        }
        modes = assignments.filter { $0.control.kind == .boolean || $0.control.kind.hasMenu }
        buttons = assignments.filter { $0.control.kind == .button }
        values = assignments.filter { ![.boolean, .button].contains($0.control.kind) && !$0.control.kind.hasMenu }
    }

    /// Sets the controls. May wait for the hardware.
    /// - Returns: The values afterwards, read back. A control that cannot be read is left out.
    /// - Throws: ``ControlError``; everything is then restored.
    public func apply(to device: some ControlAccess) throws(ControlError) -> [String: Int64] {
        let before = [values, modes].map { step in step.compactMap { Self.present($0.control, on: device) } }
        do throws(ControlError) {
            try Self.set(modes, on: device)
            for assignment in values { try Self.requireEffect(assignment.control, on: device) }
            try Self.set(values, on: device)
            try Self.set(buttons, on: device)
        } catch {
            var failure = error
            failure.changed = restore(before, on: device)
            throw failure
        }
        return readBack(device)
    }

    private func readBack(_ device: some ControlAccess) -> [String: Int64] {
        let all = (modes + values).compactMap { Self.present($0.control, on: device) }
        return Dictionary(all.map { ($0.control.key, $0.value) }, uniquingKeysWith: { first, _ in first })
    }

    /// Restores the steps one after another. If a step fails, its controls are set one at a time.
    /// - Returns: The controls whose value differs from before, or that can no longer be read.
    private func restore(_ steps: [[ControlAssignment]], on device: some ControlAccess) -> [String] {
        for step in steps where !step.isEmpty {
            guard (try? device.setValues(step)) == nil else { continue }
            for assignment in step { try? device.setValues([assignment]) }
        }
        return steps.joined().filter { !Self.isRestored($0, on: device) }.map(\.control.key).sorted()
    }

    /// Returns whether a control is restored. One that an automatic mode controls again has the value of that mode.
    private static func isRestored(_ assignment: ControlAssignment, on device: some ControlAccess) -> Bool {
        if present(assignment.control, on: device) == assignment { return true }
        return (try? device.control(assignment.control.id))?.isInactive == true
    }

    private static func set(_ step: [ControlAssignment], on device: some ControlAccess) throws(ControlError) {
        guard !step.isEmpty else { return }
        do throws(VideoError) {
            try device.setValues(step)
        } catch {
            throw ControlError(refused: error)
        }
    }

    private static func requireEffect(_ control: VideoControl, on device: some ControlAccess) throws(ControlError) {
        guard try asked({ () throws(VideoError) in try device.control(control.id) })?.isInactive == true else { return }
        throw ControlError(
            .inactive,
            "'\(control.key)' has no effect while an automatic mode controls it; turn that mode off in the same call")
    }

    private static func present(_ control: VideoControl, on device: some ControlAccess) -> ControlAssignment? {
        guard control.isReadable, let value = try? device.value(of: control) else { return nil }
        return ControlAssignment(control, value)
    }

    private static func asked<Result>(_ call: () throws(VideoError) -> Result) throws(ControlError) -> Result {
        do throws(VideoError) {
            return try call()
        } catch {
            throw ControlError(error)
        }
    }

    private static func unknown(_ name: String, among controls: [VideoControl]) -> ControlError {
        let names = controls.filter(\.isWritable).map(\.key).joined(separator: ", ")
        return ControlError(
            .unknown, "there is no control '\(name)'; \(names.isEmpty ? "the device has none" : "there are \(names)")")
    }
}

/// A control and the value to set.
public struct ControlAssignment: Hashable, Sendable {
    public var control: VideoControl
    public var value: Int64

    public init(_ control: VideoControl, _ value: Int64) {
        self.control = control
        self.value = value
    }
}
