import RigConfiguration

/// A fault of a virtual camera, and when it occurs.
///
/// A fault begins when all of its conditions (`fromFrame`, `fromSet`, `afterSeconds`) hold, or at once if it has none. It lasts
/// until `forSeconds` have passed or it has occurred `count` times; without either it lasts until it is cleared.
public struct VirtualFault: Hashable, Sendable {
    /// The kinds of faults.
    public enum Kind: String, Hashable, Codable, Sendable, CaseIterable {
        /// The frame is lost before the driver has it: a gap in the sequence numbers.
        case dropped
        /// The JPEG is cut off in the middle.
        case torn
        /// A restart interval of the JPEG is missing.
        case damaged
        /// The JPEG has no end-of-image marker.
        case unended
        /// Bytes of the maker, fill bytes and the rest of an older frame follow the JPEG.
        case trailing
        /// The JPEG is 16 pixels wider and higher than agreed.
        case resized
        /// The last picture is repeated, including its time code, with a new stamp and sequence number.
        case frozen
        /// The driver flags the frame as erroneous.
        case erroneous
        /// No frame arrives. The sequence numbers continue, as exposures do.
        case stalled
        /// The first exposure after `start` is late by `delaySeconds`.
        case slowStart
        /// The device is absent: the stream ends, and `start` finds no device.
        case unplugged
        /// Another program has the device open: `start` fails.
        case busy
        /// The device may not be opened: `start` fails.
        case denied
    }

    public var kind: Kind
    /// Number of frames exposed after the camera was first started before this begins; counted across restarts.
    public var fromFrame: UInt64?
    /// Begins while so many controls have been set since the camera was created, the one that is just being set
    /// included, which `unplugged` prevents. Controls that are refused do not count.
    public var fromSet: UInt64?
    /// Seconds after the camera was first started before this begins.
    public var afterSeconds: Double?
    /// How often it occurs: frames, or starts for `busy`, `denied` and `slowStart`.
    public var count: Int?
    /// Seconds from its beginning to its end.
    public var forSeconds: Double?
    /// Affects the first of every group of this many frames.
    public var every: Int?
    /// Affects each frame with this probability, 0 to 1. The random numbers are seeded by the configuration.
    public var probability: Double?
    /// Only for `slowStart`: seconds added before the first exposure; default 2.
    public var delaySeconds: Double?

    public init(
        _ kind: Kind, fromFrame: UInt64? = nil, fromSet: UInt64? = nil, afterSeconds: Double? = nil,
        count: Int? = nil, forSeconds: Double? = nil, every: Int? = nil, probability: Double? = nil,
        delaySeconds: Double? = nil
    ) {
        self.kind = kind
        self.fromFrame = fromFrame
        self.fromSet = fromSet
        self.afterSeconds = afterSeconds
        self.count = count
        self.forSeconds = forSeconds
        self.every = every
        self.probability = probability
        self.delaySeconds = delaySeconds
    }
}

extension VirtualFault: Codable {
    /// The keys a fault may have.
    public enum CodingKeys: String, CodingKey, CaseIterable, Sendable {
        case kind, fromFrame, fromSet, afterSeconds, count, forSeconds, every, probability, delaySeconds
    }
}

/// One problem of a virtual device's configuration.
public struct VirtualConfigurationProblem: Hashable, Sendable, CustomStringConvertible {
    /// The key with the problem, such as `jitterMilliseconds` or `faults[2].every`.
    public var key: String
    /// The problem, and the valid values.
    public var reason: String

    public var description: String { "\(key): \(reason)" }
}

extension VirtualConfigurationProblem {
    /// Returns the problem of a number: none, or that it is outside its range.
    static func check<Value: Comparable>(_ key: String, _ value: Value, _ range: ClosedRange<Value>) -> [Self] {
        guard !range.contains(value) else { return [] }
        let reason = "\(value) is not within \(range.lowerBound) to \(range.upperBound)"
        return [Self(key: key, reason: reason)]
    }

    /// Returns the problems of faults, each under its index in the list.
    /// - Parameter further: Additional checks for this kind of device.
    static func check(_ faults: [VirtualFault], further: (VirtualFault) -> [Self] = { _ in [] }) -> [Self] {
        faults.enumerated().flatMap { index, fault in
            (fault.problems + further(fault)).map { Self(key: "faults[\(index)].\($0.key)", reason: $0.reason) }
        }
    }
}

extension VirtualFault {
    /// The problems of this fault's numbers; empty if it is valid.
    public var problems: [VirtualConfigurationProblem] {
        var problems: [VirtualConfigurationProblem] = []
        func check<Value: Comparable>(_ key: CodingKeys, _ value: Value?, _ range: ClosedRange<Value>) {
            guard let value, !range.contains(value) else { return }
            let reason = "\(value) is not within \(range.lowerBound) to \(range.upperBound)"
            problems.append(VirtualConfigurationProblem(key: key.rawValue, reason: reason))
        }
        func refuse(_ key: CodingKeys, when isGiven: Bool, _ reason: String) {
            guard isGiven else { return }
            problems.append(VirtualConfigurationProblem(key: key.rawValue, reason: reason))
        }
        check(.fromSet, fromSet, 1...UInt64.max)
        check(.afterSeconds, afterSeconds, 0...1e9)
        check(.count, count, 1...Int.max)
        check(.forSeconds, forSeconds, 0...1e9)
        check(.every, every, 1...Int.max)
        check(.probability, probability, 0...1)
        check(.delaySeconds, delaySeconds, 0...600)
        refuse(.count, when: kind == .unplugged && count != nil, "an unplugged camera comes back by forSeconds only")
        refuse(.delaySeconds, when: kind != .slowStart && delaySeconds != nil, "only slowStart has a delay")
        let isChancy = every != nil || probability != nil
        refuse(.kind, when: isChancy && !kind.strikesFrames, "\(kind.rawValue) accepts neither every nor probability")
        return problems
    }
}

extension VirtualFault.Kind {
    /// Whether it affects single frames, not the complete device.
    public var strikesFrames: Bool {
        switch self {
        case .dropped, .torn, .damaged, .unended, .trailing, .resized, .frozen, .erroneous, .stalled: true
        case .slowStart, .unplugged, .busy, .denied: false
        }
    }
}

extension VirtualFault {
    init?(_ value: YAMLValue) {
        guard let mapping = value.mapping() else { return nil }
        let kind = mapping.required("kind")?.scalar(.oneOf(Kind.self))
        self.init(kind ?? .dropped)
        fromFrame = mapping.value("fromFrame")?.scalar(.integer(0...UInt64.max))
        fromSet = mapping.value("fromSet")?.scalar(.integer(1...UInt64.max))
        afterSeconds = mapping.value("afterSeconds")?.scalar(.number(0...1e9))
        count = mapping.value("count")?.scalar(.integer(1...Int.max))
        forSeconds = mapping.value("forSeconds")?.scalar(.number(0...1e9))
        every = mapping.value("every")?.scalar(.integer(1...Int.max))
        probability = mapping.value("probability")?.scalar(.number(0...1))
        delaySeconds = mapping.value("delaySeconds")?.scalar(.number(0...600))
        mapping.finish()
        guard kind != nil else { return nil }
        reportContradictions(mapping)
    }

    private func reportContradictions(_ mapping: YAMLMapping) {
        if kind == .unplugged, count != nil {
            mapping.report(.badValue, "an unplugged camera comes back by 'forSeconds', not by 'count'")
        }
        if kind != .slowStart, delaySeconds != nil {
            mapping.report(.badValue, "only 'slowStart' has 'delaySeconds'")
        }
        if !kind.strikesFrames, every != nil || probability != nil {
            mapping.report(.badValue, "'\(kind.rawValue)' accepts neither 'every' nor 'probability'")
        }
    }

    var written: WrittenValue {
        .mapping { fault in
            fault.add("kind", plain: kind.rawValue)
            fault.add("fromFrame", plainIfPresent: fromFrame)
            fault.add("fromSet", plainIfPresent: fromSet)
            fault.add("afterSeconds", plainIfPresent: afterSeconds)
            fault.add("count", plainIfPresent: count)
            fault.add("forSeconds", plainIfPresent: forSeconds)
            fault.add("every", plainIfPresent: every)
            fault.add("probability", plainIfPresent: probability)
            fault.add("delaySeconds", plainIfPresent: delaySeconds)
        }
    }
}
