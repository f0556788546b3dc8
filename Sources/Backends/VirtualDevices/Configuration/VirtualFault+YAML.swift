import RigConfiguration

extension VirtualFault {
    init?(_ value: YAMLValue) {
        guard let mapping = value.mapping() else { return nil }
        let kind = mapping.required("kind")?.scalar(.oneOf(Kind.self))
        self.init(kind ?? .dropped)
        fromFrame = mapping.value("fromFrame")?.scalar(.integer(0...UInt64.max))
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
            mapping.report(.badValue, "'\(kind.rawValue)' takes neither 'every' nor 'probability'")
        }
    }

    var written: WrittenValue {
        .mapping { fault in
            fault.add("kind", plain: kind.rawValue)
            fault.add("fromFrame", plainIfPresent: fromFrame)
            fault.add("afterSeconds", plainIfPresent: afterSeconds)
            fault.add("count", plainIfPresent: count)
            fault.add("forSeconds", plainIfPresent: forSeconds)
            fault.add("every", plainIfPresent: every)
            fault.add("probability", plainIfPresent: probability)
            fault.add("delaySeconds", plainIfPresent: delaySeconds)
        }
    }
}
