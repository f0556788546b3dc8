public import CaptureModel

/// How a setting becomes controls of V4L2: one row of the table in ``all``.
public struct SettingMapping: Hashable, Sendable {
    public let setting: CaptureSetting
    public let target: Target
    /// What must hold for the controls to have an effect.
    public let needs: [ModeNeed]
    /// What this mapping cannot express of the setting, as a sentence.
    public let lost: String

    /// What carries the setting out.
    public enum Target: Hashable, Sendable {
        /// Words that are values of the first of these controls that the camera has.
        case modes([ModeValue], controls: [String], lock: ModeLock?)
        /// A number in the first of these controls that the camera has.
        case number(controls: [String])
        /// A position from 0 to 1 in the first of these controls that the camera has. V4L2 counts from far to near.
        case lens(controls: [String])
        /// A mode of the LED, and its brightness if the camera has a control for it.
        case torch(mode: [String], intensity: [String])
        /// Amplification of red and blue relative to green.
        case gains(red: [String], blue: [String])
        /// The stream, which is closed and opened again.
        case stream
        /// Nothing; `lost` says why.
        case none
    }

    /// A word, and the values that mean it, the best first.
    public struct ModeValue: Hashable, Sendable {
        public let mode: SettingMode
        public let values: [Int64]
        /// The button that is pressed after that, so that the camera chooses the value once; without it, the camera does not have the word.
        public var button: String? = nil
    }

    /// How a mode is locked.
    public struct ModeLock: Hashable, Sendable {
        /// The bit of `3a_lock` (`V4L2_LOCK_*`).
        public let bit: Int64
        /// The setting whose present value is kept where the camera has no such bit.
        public let value: CaptureSetting
    }

    /// The names of all controls that carry the setting out, as `DeviceControl.name` spells them.
    public var controls: [String] {
        switch target {
        case .modes(let words, let controls, let lock):
            controls + words.compactMap(\.button) + (lock == nil ? [] : [Self.lockControl])
        case .number(let controls), .lens(let controls): controls
        case .torch(let mode, let intensity): mode + intensity
        case .gains(let red, let blue): red + blue
        case .stream, .none: []
        }
    }

    public static let lockControl = "3a_lock"

    /// Returns the controls whose values the camera chooses again when some controls are set: buttons were pressed.
    public static func chosen(by controls: some Sequence<String>) -> Set<String> {
        controls.contains(FocusControl.start) ? [FocusControl.position] : []
    }

    /// Returns the controls of modes in which a camera may choose the value of a control itself.
    public static func modes(of control: String) -> [String] {
        all.filter { $0.controls.contains(control) }.flatMap(\.needs).flatMap(\.controls)
    }

    /// Returns the controls whose values a camera chooses itself in its present modes.
    /// - Parameter value: The value of a control; nil if the camera does not have it.
    public static func automatic(_ value: (String) -> Int64?) -> Set<String> {
        var names: Set<String> = []
        for mapping in all {
            for need in mapping.needs where need.isImplied {
                let mode = need.controls.lazy.compactMap(value).first
                if let mode, !need.values.contains(mode) { names.formUnion(mapping.controls) }
            }
        }
        return names
    }
}

/// An automatic mode that must have one of some values before a control has an effect.
public struct ModeNeed: Hashable, Sendable {
    /// The names of the mode's control; the first that the camera has counts. A camera without it has no such mode.
    public let controls: [String]
    /// The values that will do, the best first.
    public let values: [Int64]
    /// Whether the mode is set where it has another value. Otherwise the request is refused.
    public let isImplied: Bool
}

/// How the numbers of V4L2's controls translate into units, where the documentation of V4L2 defines it.
struct StandardUnit: Hashable, Sendable {
    var unit: PhysicalUnit
    /// How many of ``PhysicalQuantity/count`` a step of 1 is.
    var countPerStep: Int64
    /// Whether the control is a menu whose names are the numbers.
    var isMenu = false
}
