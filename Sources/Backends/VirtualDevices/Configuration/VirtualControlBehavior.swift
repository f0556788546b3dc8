import RigConfiguration

/// What real cameras do with their controls: they act late, round, refuse what they offer, and do not tell what a frame
/// has. Everything is off by default. The names are the keys in YAML.
public struct VirtualControlBehavior: Hashable, Encodable, Sendable {
    /// Number of further frames that are planned with the old value after a control was set.
    public var delayFrames = 0
    /// Largest number of frames by which a control acts later than `delayFrames` says. Drawn for each control that is
    /// set, with the camera's seed.
    public var delayJitterFrames = 0
    /// Whether frames carry exposure time and gain. Frames of USB webcams do not.
    public var reportsFrameValues = true
    /// Whether the driver reports the values that an automatic mode has chosen. Otherwise it reports the last manual ones,
    /// to which the camera falls back when it is switched to manual, as many USB webcams do.
    public var reportsAutomaticValues = true
    /// Number of frames for which the camera is busy when it focuses once. 0: it has no button for that.
    public var focusFrames = 0
    /// Whether focusing once fails.
    public var focusFails = false
    /// Distance of the accepted values of controls by name, counted from the least one. Others are rounded to the nearest.
    public var steps: [String: Int64] = [:]
    /// Values within the range of their control that the driver refuses.
    public var refuse: [VirtualRefusal] = []

    /// Creates the behavior of an ideal camera.
    public init() {}

    /// The keys it may have, in the order in which they are documented.
    public enum CodingKeys: String, CodingKey, CaseIterable, Sendable {
        case delayFrames, delayJitterFrames, reportsFrameValues, reportsAutomaticValues, focusFrames, focusFails, steps
        case refuse
    }
}

/// Values of a control that its driver refuses although they are within its range, as real drivers do with `EINVAL` and
/// `ERANGE`.
public struct VirtualRefusal: Hashable, Codable, Sendable {
    public var control: String
    /// The least value that is refused; nil for the least one of the control.
    public var from: Int64?
    /// The greatest value that is refused; nil for the greatest one of the control.
    public var to: Int64?

    public init(control: String, from: Int64? = nil, to: Int64? = nil) {
        self.control = control
        self.from = from
        self.to = to
    }
}

extension VirtualControlBehavior: Decodable {
    /// Reads a behavior. Missing keys keep their defaults.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init()
        try fields.read(&delayFrames, .delayFrames)
        try fields.read(&delayJitterFrames, .delayJitterFrames)
        try fields.read(&reportsFrameValues, .reportsFrameValues)
        try fields.read(&reportsAutomaticValues, .reportsAutomaticValues)
        try fields.read(&focusFrames, .focusFrames)
        try fields.read(&focusFails, .focusFails)
        try fields.read(&steps, .steps)
        try fields.read(&refuse, .refuse)
    }
}

extension VirtualControlBehavior {
    private static let delayStream: UInt64 = 0x6465_6C61_7973

    /// Returns how many frames later the control set at this place among all acts.
    func delay(at place: UInt64, _ noise: SeededNoise) -> Int {
        let jitter = UInt64(clamping: delayJitterFrames)
        guard jitter > 0 else { return delayFrames }
        return delayFrames + Int(noise.bits(at: place, stream: Self.delayStream) % (jitter + 1))
    }

    func step(of control: VirtualControl) -> Int64 { max(steps[control.rawValue] ?? 1, 1) }

    /// Returns the accepted value nearest to one within the control's range.
    func rounded(_ value: Int64, _ control: VirtualControl) -> Int64 {
        let (step, range) = (step(of: control), control.range)
        guard step > 1, VirtualControl.stepped.contains(control) else { return value }
        let most = (range.upperBound - range.lowerBound) / step
        return range.lowerBound + min((value - range.lowerBound + step / 2) / step, most) * step
    }

    func refuses(_ value: Int64, _ control: VirtualControl) -> Bool {
        refuse.contains {
            $0.control == control.rawValue && value >= $0.from ?? .min && value <= $0.to ?? .max
        }
    }
}

extension VirtualControlBehavior {
    /// The problems of its values; empty if it is valid.
    var problems: [VirtualConfigurationProblem] {
        let ofDelays =
            VirtualConfigurationProblem.check("delayFrames", delayFrames, VirtualLimits.delayFrames)
            + VirtualConfigurationProblem.check("delayJitterFrames", delayJitterFrames, VirtualLimits.delayFrames)
        let ofFocus = VirtualConfigurationProblem.check("focusFrames", focusFrames, VirtualLimits.focusFrames)
        let ofSteps = steps.sorted { $0.key < $1.key }.flatMap(Self.problems(ofStep:_:))
        return ofDelays + ofFocus + ofSteps + problemsOfRefusals
    }

    private var problemsOfRefusals: [VirtualConfigurationProblem] {
        let limit = VirtualLimits.refusals
        let ofEntries = refuse.enumerated().flatMap { index, refusal in
            refusal.problems.map {
                VirtualConfigurationProblem(key: "refuse[\(index)].\($0.key)", reason: $0.reason)
            }
        }
        guard refuse.count > limit else { return ofEntries }
        let reason = "has \(refuse.count) entries; at most \(limit) are allowed"
        return [VirtualConfigurationProblem(key: "refuse", reason: reason)] + ofEntries
    }

    private static func problems(ofStep name: String, _ step: Int64) -> [VirtualConfigurationProblem] {
        guard let control = VirtualControl.stepped.first(where: { $0.rawValue == name }) else {
            let names = VirtualControl.stepped.map(\.rawValue).joined(separator: ", ")
            return [.init(key: "steps.\(name)", reason: "this control has no step; \(names) may have one")]
        }
        return VirtualConfigurationProblem.check("steps.\(name)", step, control.steps)
    }
}

extension VirtualControl {
    /// The steps that leave at least two values.
    fileprivate var steps: ClosedRange<Int64> { 1...range.upperBound - range.lowerBound }
}

extension VirtualRefusal {
    fileprivate var problems: [VirtualConfigurationProblem] {
        guard let control = VirtualControl(rawValue: control) else {
            let names = VirtualControl.allCases.map(\.rawValue).joined(separator: ", ")
            return [.init(key: "control", reason: "there is no control '\(control)'; there are \(names)")]
        }
        let outside =
            (from.map { VirtualConfigurationProblem.check("from", $0, control.range) } ?? [])
            + (to.map { VirtualConfigurationProblem.check("to", $0, control.range) } ?? [])
        guard outside.isEmpty, let from, let to, from > to else { return outside }
        return [.init(key: "from", reason: "\(from) is above 'to', which is \(to)")]
    }
}

extension VirtualControlBehavior {
    init?(_ value: YAMLValue) {
        guard let mapping = value.mapping() else { return nil }
        self.init()
        delayFrames = mapping.read("delayFrames", .integer(VirtualLimits.delayFrames), default: delayFrames)
        delayJitterFrames = mapping.read(
            "delayJitterFrames", .integer(VirtualLimits.delayFrames), default: delayJitterFrames)
        reportsFrameValues = mapping.read("reportsFrameValues", .flag, default: reportsFrameValues)
        reportsAutomaticValues = mapping.read("reportsAutomaticValues", .flag, default: reportsAutomaticValues)
        focusFrames = mapping.read("focusFrames", .integer(VirtualLimits.focusFrames), default: focusFrames)
        focusFails = mapping.read("focusFails", .flag, default: focusFails)
        if let steps = mapping.mapping("steps") { readSteps(steps) }
        refuse = mapping.value("refuse")?.list(limit: VirtualLimits.refusals)?.compactMap { VirtualRefusal($0) } ?? []
        mapping.finish()
    }

    private mutating func readSteps(_ mapping: YAMLMapping) {
        for control in VirtualControl.stepped {
            steps[control.rawValue] = mapping.value(control.rawValue)?.scalar(.integer(control.steps))
        }
        mapping.finish()
    }

    var written: WrittenValue {
        .mapping { mapping in
            mapping.add("delayFrames", plain: delayFrames)
            mapping.add("delayJitterFrames", plain: delayJitterFrames)
            mapping.add("reportsFrameValues", plain: reportsFrameValues)
            mapping.add("reportsAutomaticValues", plain: reportsAutomaticValues)
            mapping.add("focusFrames", plain: focusFrames)
            mapping.add("focusFails", plain: focusFails)
            mapping.add("steps") { mapping in
                for (name, step) in steps.sorted(by: { $0.key < $1.key }) { mapping.add(name, plain: step) }
            }
            if !refuse.isEmpty { mapping.add("refuse", list: refuse.map(\.written)) }
        }
    }
}

extension VirtualRefusal {
    init?(_ value: YAMLValue) {
        guard let mapping = value.mapping() else { return nil }
        let control = mapping.required("control")?.scalar(.oneOf(VirtualControl.self))
        let range = control?.range ?? Int64.min...Int64.max
        self.init(control: control?.rawValue ?? "")
        from = mapping.value("from")?.scalar(.integer(range))
        to = mapping.value("to")?.scalar(.integer(range))
        mapping.finish()
        guard control != nil else { return nil }
        if let from, let to, from > to { mapping.report(.badValue, "'from' is above 'to', so that nothing is refused") }
    }

    fileprivate var written: WrittenValue {
        .mapping { mapping in
            mapping.add("control", plain: control)
            mapping.add("from", plainIfPresent: from)
            mapping.add("to", plainIfPresent: to)
        }
    }
}
