import CaptureModel

/// The controls of a program, as the lines that it has written tell them. Pure.
///
/// | line | meaning |
/// |---|---|
/// | `control NAME KIND MINIMUM MAXIMUM STEP DEFAULT VALUE STATE UNIT` | a control, or what has become of one; `-` is a value or unit that is unknown |
/// | `item NAME INDEX TEXT` | a choice of a menu, after its control |
///
/// A name has lower-case letters, digits and underscores. A control keeps its items when it is told once more.
struct ControlTable: Hashable, Sendable {
    typealias Mismatch = ProgramLines.Mismatch

    static let mostControls = 64
    static let mostItems = 64

    private(set) var controls: [DeviceControl] = []

    subscript(_ name: String) -> DeviceControl? { controls.first { $0.name == name } }

    mutating func add(control line: String) throws(Mismatch) {
        guard var control = DeviceControl(line: line) else {
            throw Mismatch(
                description:
                    "the line '\(line.excerpt)' is not 'control NAME KIND MINIMUM MAXIMUM STEP DEFAULT VALUE STATE UNIT'"
            )
        }
        if let index = controls.firstIndex(where: { $0.name == control.name }) {
            control.menu = controls[index].menu
            controls[index] = control
        } else {
            guard controls.count < Self.mostControls else {
                throw Mismatch(description: "it tells more than \(Self.mostControls) controls")
            }
            controls.append(control)
        }
    }

    mutating func add(item line: String) throws(Mismatch) {
        let words = line.split(separator: " ", maxSplits: 3)
        guard words.count == 4, let number = Int64(words[2]),
            let index = controls.firstIndex(where: { $0.name == words[1] }),
            controls[index].kind == .menu
        else { throw Mismatch(description: "the line '\(line.excerpt)' is not an item of a menu that it has told") }
        controls[index].menu.removeAll { $0.index == number }
        guard controls[index].menu.count < Self.mostItems else {
            throw Mismatch(description: "the menu '\(words[1])' has more than \(Self.mostItems) items")
        }
        controls[index].menu.append(DeviceControl.MenuItem(index: number, name: String(words[3]).printable()))
    }

    /// Why a value cannot be set; nil if that is for the program to say.
    func refusal(of name: String, _ value: Int64) -> String? {
        guard let control = self[name] else {
            let names = controls.filter { !$0.isReadOnly }.map(\.name).joined(separator: ", ")
            return "there is no control '\(name)'; \(names.isEmpty ? "the program has none" : "there are \(names)")"
        }
        if control.isReadOnly { return "'\(name)' can be read but not set" }
        return control.accepts(value) ? nil : "'\(name)' does not accept \(value); it accepts \(control.domain)"
    }
}

extension UInt8 {
    /// Whether it is of the names that V4L2 gives to controls: lower-case letters, digits and underscores.
    fileprivate var isOfName: Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self)
            || self == UInt8(ascii: "_")
    }
}

extension DeviceControl {
    fileprivate init?(line: String) {
        let words = line.split(separator: " ", maxSplits: 9)
        guard words.count == 10, let kind = Kind(rawValue: String(words[2])), words[1].utf8.allSatisfy(\.isOfName)
        else {
            return nil
        }
        let numbers = words[3...6].compactMap { Int64($0) }
        let value = Int64(words[7])
        guard numbers.count == 4, numbers[0] <= numbers[1], numbers[2] > 0, value != nil || words[7] == "-",
            ["active", "inactive", "read-only"].contains(words[8])
        else { return nil }
        self.init(
            name: String(words[1]), kind: kind, minimum: numbers[0], maximum: numbers[1], step: numbers[2],
            defaultValue: numbers[3], unit: words[9] == "-" ? nil : String(words[9]).printable(), value: value,
            isReadOnly: words[8] == "read-only", isInactive: words[8] == "inactive")
    }

    fileprivate func accepts(_ value: Int64) -> Bool {
        switch kind {
        case .button: true
        case .menu where !menu.isEmpty: menu.contains { $0.index == value }
        default: (minimum...maximum).contains(value)
        }
    }

    fileprivate var domain: String {
        menu.isEmpty
            ? "\(minimum) to \(maximum)" + (unit.map { " (× \($0))" } ?? "")
            : menu.map { "\($0.index) (\($0.name))" }.joined(separator: ", ")
    }
}
