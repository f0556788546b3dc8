import CaptureModel

extension VirtualCameraConfiguration {
    /// The limits are those of the virtual camera itself, told here with their line.
    init(_ mapping: YAMLMapping) {
        self.init()
        number = mapping.read("number", .integer(0...UInt16.max), default: number)
        width = mapping.read("width", .integer(144...16_384), default: width)
        height = mapping.read("height", .integer(88...16_384), default: height)
        framesPerSecond = mapping.read("framesPerSecond", .number(0.01...1000), default: framesPerSecond)
        quality = mapping.read("quality", .integer(1...100), default: quality)
        seed = mapping.read("seed", .integer(0...UInt64.max), default: seed)
        readTimes(mapping)
        make = mapping.read("make", .text(limit: 128), default: make)
        model = mapping.read("model", .text(limit: 128), default: model)
        serial = mapping.value("serial")?.scalar(.text(limit: 128))
        faults =
            mapping.value("faults")?.list(limit: 64)?.compactMap { $0.mapping().flatMap { VirtualFault($0) } } ?? []
        mapping.finish()
    }

    private mutating func readTimes(_ mapping: YAMLMapping) {
        func read(_ key: String, _ range: ClosedRange<Double>, _ value: inout Double) {
            value = mapping.read(key, .number(range), default: value)
        }
        read("phaseMilliseconds", -3_600_000...3_600_000, &phaseMilliseconds)
        // Farther than 45 % of the interval, frames could change places.
        read("jitterMilliseconds", 0...(450 / framesPerSecond), &jitterMilliseconds)
        read("driftPPM", -10_000...10_000, &driftPPM)
        read("exposureMilliseconds", 0.01...10_000, &exposureMilliseconds)
        read("gainDecibels", -48...48, &gainDecibels)
        read("readoutMilliseconds", 0...10_000, &readoutMilliseconds)
        read("stampBoundMilliseconds", 0...10_000, &stampBoundMilliseconds)
        read("startDelayMilliseconds", 0...600_000, &startDelayMilliseconds)
    }
}

extension VirtualFault {
    init?(_ mapping: YAMLMapping) {
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
        let strikesFrames = [.dropped, .torn, .frozen, .erroneous, .stalled].contains(kind)
        if !strikesFrames, every != nil || probability != nil {
            mapping.report(.badValue, "'\(kind.rawValue)' takes neither 'every' nor 'probability'")
        }
    }
}
