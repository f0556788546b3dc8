extension VirtualFault {
    /// What is wrong with this fault's numbers; empty when it is sound.
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
        check(.afterSeconds, afterSeconds, 0...1e9)
        check(.count, count, 1...Int.max)
        check(.forSeconds, forSeconds, 0...1e9)
        check(.every, every, 1...Int.max)
        check(.probability, probability, 0...1)
        check(.delaySeconds, delaySeconds, 0...600)
        refuse(.count, when: kind == .unplugged && count != nil, "an unplugged camera comes back by forSeconds only")
        refuse(.delaySeconds, when: kind != .slowStart && delaySeconds != nil, "only slowStart has a delay")
        let isChancy = every != nil || probability != nil
        refuse(.kind, when: isChancy && !kind.strikesFrames, "\(kind.rawValue) takes neither every nor probability")
        return problems
    }
}

extension VirtualFault.Kind {
    /// Whether it strikes single frames, not the whole device.
    public var strikesFrames: Bool {
        switch self {
        case .dropped, .torn, .frozen, .erroneous, .stalled: true
        case .slowStart, .unplugged, .busy, .denied: false
        }
    }
}
