extension VideoControl {
    /// Whether the control may be set to a value at all.
    /// - Parameter menu: The control's entries, where it has a menu.
    /// - Throws: ``ControlError`` that says what the control takes.
    func check(_ value: Int64, _ menu: [VideoMenuItem]) throws(ControlError) {
        guard isWritable else { throw ControlError(.readOnly, "'\(key)' can be read but not set") }
        guard !isGrabbed else {
            throw ControlError(.grabbed, "'\(key)' cannot be set as things are, such as while the camera streams")
        }
        guard !takes(value, menu) else { return }
        throw ControlError(.badValue, "'\(key)' does not take \(value); it takes \(domain(menu))")
    }

    private func takes(_ value: Int64, _ menu: [VideoMenuItem]) -> Bool {
        switch kind {
        case .button: true
        case .menu, .integerMenu: menu.contains { $0.index == value }
        case .bitmask: value >= 0 && value & ~maximum & 0xFFFF_FFFF == 0 && value <= 0xFFFF_FFFF
        case .integer, .boolean, .integer64: value >= minimum && value <= maximum
        }
    }

    private func domain(_ menu: [VideoMenuItem]) -> String {
        switch kind {
        case .menu, .integerMenu: menu.map { "\($0.index) (\($0.name))" }.joined(separator: ", ")
        case .bitmask: "the bits of 0x" + String(maximum & 0xFFFF_FFFF, radix: 16)
        default: "\(minimum) to \(maximum)" + (unit.map { " (× \($0))" } ?? "")
        }
    }
}
